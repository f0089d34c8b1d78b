//! Options and results handled by methods, with awaits before, between and after them.

#[workflow]
async fn program(n: i64) -> Result<Option<i64>, Refused> {
    let found = lookup("a").await.filter(|found| *found > n).or(lookup("b").await);
    let text = find(n).await.map(|text| text.len() as i64).unwrap_or_else(|| n * 2);
    let first = list(n).await.into_iter().find(|item| item % 2 == 0);
    let sum: i64 = list(n + 1).await.iter().map(|item| item * text).sum();
    let halves = list(sum % 5).await.into_iter().partition::<Vec<_>, _>(|item| *item > 2);
    let (big, small) = halves;
    note((big.len(), small.len(), total(&big).await));
    let number = try_act(n).await.map_err(|error| match error {
        ActivityError::Failed(refused) => refused,
        other => {
            note(other.to_string());
            Refused { code: n }
        }
    })?;
    let longest = words("a bb ccc").await.into_iter().max_by_key(String::len).unwrap_or_default();
    let pairs: Vec<(usize, String)> = words(&longest).await.into_iter().enumerate().collect();
    for (index, word) in pairs {
        if let Some(value) = lookup(&word).await.zip(first) {
            note((index, value));
        }
    }
    let Some(best) = found.or(first).or_else(|| Some(number).filter(|number| *number > 5)) else {
        return Ok(None);
    };
    Ok(try_find(best).await.ok().flatten().map(|value| value + sum))
}
