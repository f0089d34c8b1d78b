//! What a branch gives a value before it reads it, and lends a part of, while nobody wants the value before.

#[workflow]
async fn program(n: i64) -> i64 {
    let mut best: std::result::Result<i64, String> = if n > 2 { Ok(n) } else { Err(format!("e{n}")) };
    let (a, b) = join!(act(2), async {
        best = if flag(n).await { Err("none".into()) } else { Ok(n + 1) };
        tick().await;
        best.as_ref().map_or(1, |best| *best)
    });
    a + b
}
