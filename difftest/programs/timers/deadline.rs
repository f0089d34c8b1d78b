//! A deadline that several waits share.

#[workflow]
async fn program(cx: &Context, n: i64) -> Result<Vec<i64>, usize> {
    let deadline = cx.now() + minutes(1);
    let mut values = Vec::new();
    while values.len() < 3 {
        select! {
            x = act(n + values.len() as i64) => values.push(x),
            _ = cx.sleep_until(deadline) => return Err(values.len()),
        }
        cx.sleep(seconds(15)).await;
    }
    cx.sleep_until(deadline).await;
    Ok(values)
}
