//! An `async move` block moves a part of what a closure in it names, and what else names afterwards.

#[workflow]
async fn program(n: i64) -> i64 {
    let pair = (n, fetch("x").await);
    let twice = select! {
        found = async move {
            tick().await;
            let again = |x: i64| x + pair.0;
            let found = if matches!((pair.1, add(10, pair.0).await), (_, 12..)) {
                again(1)
            } else {
                again(act(2).await)
            };
            flag(pair.0).await;
            let held = &pair.0;
            tick().await;
            found + held
        } => found,
        other = act(3) => other,
    };
    twice + pair.0
}
