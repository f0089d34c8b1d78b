//! Patterns in arms; arms that return, break with values and use `?`.

#[workflow]
async fn program(cx: &Context, n: i64) -> Result<i64, ActivityError<Refused>> {
    let value = 'wait: loop {
        for round in 0..3 {
            select! {
                (number, text) = pair(n + round) => break 'wait number + text.len() as i64,
                outcome = try_act(n + round) => {
                    let value = outcome?;
                    if value % 2 == 0 { continue; }
                    return Ok(note(value));
                }
                Cancelled { reason } = cx.cancelled() => break 'wait reason.len() as i64,
            }
        }
        tick().await;
    };
    Ok(value)
}
