//! Loops over nothing.

#[workflow]
async fn program(n: i64) -> i64 {
    let mut rounds = 0;
    for _ in 0..0 {
        rounds += act(n).await;
    }
    for item in Vec::<String>::new() {
        fetch(&item).await;
    }
    for _ in n..2 {
        rounds += 1;
        tick().await;
    }
    rounds
}
