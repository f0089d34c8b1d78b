//! Pages that are read one after the other, sorted into batches, and sent with a bound on how many at a time.

#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
struct Page {
    items: Vec<i64>,
    next: Option<String>,
}


#[workflow]
async fn read(token: Option<String>) -> Page {
    let key = token.as_deref().unwrap_or("first");
    let items = list(key.len() as i64).await;
    let next = find(items.len() as i64).await.filter(|_| key.len() < 12);
    Page { items, next: next.map(|next| format!("{key}-{next}")) }
}

#[workflow]
async fn program(n: i64) -> Result<(Vec<(usize, i64)>, Vec<String>), Refused> {
    let mut all = Vec::new();
    let mut token = None;
    let mut pages = 0_usize;
    let pages = loop {
        let Page { items, next } = read(token.take()).await;
        all.extend(items.into_iter().map(|item| item + n));
        pages += 1;
        match next {
            Some(_) if pages > 3 => break pages,
            Some(next) => token = Some(next),
            None => break pages,
        }
    };
    note(pages);
    all.sort_unstable();
    all.dedup();
    let (small, large): (Vec<i64>, Vec<i64>) = all.iter().partition(|item| **item < 40);
    let mut sent = Vec::with_capacity(small.len());
    for (number, batch) in small.chunks(2).enumerate() {
        let answers = join_all(batch.iter().map(|item| act(*item))).await;
        sent.push((number, answers.iter().zip(batch).map(|(answer, item)| answer - item).sum()));
        let [.., last] = batch else { continue };
        if flag(*last).await {
            break;
        }
    }
    let texts = large.iter().rev().take(3).map(|item| item.to_string()).collect::<Vec<_>>();
    let mut failed = vec![];
    let outcomes = join_all(large.iter().rev().take(3).map(|item| try_act(*item))).await;
    for (text, outcome) in texts.into_iter().zip(outcomes) {
        let line = match outcome {
            Ok(value) if value < 0 => format!("{text} is {value}"),
            Ok(_) => continue,
            Err(ActivityError::Failed(error)) if error.code == 0 => return Err(error),
            Err(error) => concat(&text, &error.to_string()).await,
        };
        failed.push(line);
    }
    let longest = failed.iter().map(String::len).max();
    let padded = match longest {
        Some(width @ 1..=30) => failed.iter().map(|line| format!("{line:>width$}")).collect(),
        Some(_) => vec![failed.swap_remove(0)],
        None => {
            tick().await;
            Vec::new()
        }
    };
    Ok((sent, padded))
}
