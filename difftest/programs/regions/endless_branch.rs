//! A branch that never comes to its end, and one that does not wait.

#[workflow]
async fn program(cx: &Context, n: i64) -> String {
    let mut beats = 0;
    let text = select! {
        _ = async {
            loop {
                cx.sleep(seconds(1)).await;
                beats += 1;
                if beats > 20 {
                    act(beats).await;
                }
            }
        } => unreachable!("it is endless"),
        text = fetch("x") => text,
    };
    let first = select! {
        x = async { note(n) + 1 } => note(x),
        y = async { tick().await; note(5) } => y,
    };
    let (a, b) = join!(async { note(1) }, async { note(2) });
    let (c, _) = join!(async { c(a).await }, async { if b > 1 { tick().await } });
    async fn c(a: i64) -> i64 {
        a + 1
    }
    format!("{text} {first} {a} {b} {c} {}", act(n).await)
}
