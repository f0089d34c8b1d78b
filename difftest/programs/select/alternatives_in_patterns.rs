//! Patterns with alternatives that together match every value.

#[workflow]
async fn program(cx: &Context, n: i64) -> (i64, i64, i64) {
    let first = select! {
        (number, _) | (_, number) = async { (act(n).await, act(1).await) } => number,
        _ = cx.sleep(seconds(1)) => 0,
    };
    let second = select! {
        Ok(number) | Err(number) = async { if flag(n).await { Ok(act(2).await) } else { Err(3) } } => {
            tick().await;
            number
        }
        true | false = flag(n) => 4,
    };
    (first, second, n)
}
