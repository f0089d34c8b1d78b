//! Results handled by early returns, `?` in closures and nested blocks, and values that come late.

#[derive(Debug, PartialEq, Serialize, Deserialize)]
enum Outcome {
    Skipped,
    Done { total: i64, notes: Vec<String> },
}

#[workflow]
async fn program(n: i64) -> Result<Outcome, ParseFailed> {
    if n == 0 {
        return Ok(Outcome::Skipped);
    }
    let notes;
    let total: i64;
    let first = match parse("12").await {
        Ok(first) => first,
        Err(ActivityError::Failed(error)) => return Err(error),
        Err(_) => {
            tick().await;
            7
        }
    };
    {
        let texts = words("a b").await;
        let lengths = (|| Some(texts.first()?.len() + texts.get(1)?.len()))();
        let inner = 'inner: {
            let Some(lengths) = lengths else { break 'inner None };
            let found = lookup("q").await;
            if found.is_none() && n > 3 {
                break 'inner Some(lengths as i64);
            }
            found
        };
        total = match inner {
            Some(value @ 1..) => value + first,
            Some(value) => {
                notes = vec![fetch("small").await];
                return Ok(Outcome::Done { total: value, notes });
            }
            None => act(first).await,
        };
        notes = texts;
    }
    let notes = {
        let mut notes = notes;
        while notes.len() < 3 {
            let next = fetch(&notes.len().to_string()).await;
            if notes.contains(&next) {
                break;
            }
            notes.push(next);
        }
        notes
    };
    let late: Option<Box<dyn Fn(i64) -> i64>> = None;
    note(late.is_none());
    drop(late);
    let checked = notes.iter().map(|text| text.parse::<i64>()).collect::<Result<Vec<_>, _>>();
    let extra = if let Ok(numbers) = &checked { numbers.len() as i64 } else { add(1, 1).await };
    Ok(Outcome::Done { total: total + extra, notes })
}
