//! Retries with growing waits, a deadline, and an attempt that gives up by a labeled break.

#[workflow]
async fn program(cx: &Context, n: i64) -> piton::Result<String> {
    let deadline = minutes(3);
    let mut wait = seconds(2);
    let mut spent = seconds(0);
    let found = 'search: {
        for attempt in 1_u32.. {
            if let Some(found) = lookup(&format!("{n}/{attempt}")).await {
                break 'search Some((attempt, found));
            }
            if spent + wait > deadline {
                break 'search None;
            }
            cx.sleep(wait).await;
            spent += wait;
            wait = (wait * 2).min(minutes(1));
            note(wait.as_secs());
        }
        unreachable!()
    };
    let Some((attempt, found)) = found else {
        piton::bail!("nothing within {} s", spent.as_secs());
    };
    let checked = select! {
        answer = async {
            let mut sum = found;
            while sum < 20 {
                sum += act(sum).await.max(1);
            }
            Some(sum)
        } => answer,
        _ = cx.sleep(seconds(1)) => None,
        Approve { by } = cx.signal::<Approve>() => {
            note(&by);
            Some(by.len() as i64)
        }
    };
    let text = checked.map_or_else(|| "late".to_owned(), |sum| format!("{sum}"));
    piton::ensure!(attempt < 4 || text != "late", "attempt {attempt} was {text}");
    Ok(text)
}
