//! A closure gives away what it has taken over, in a branch behind an await.

#[workflow]
async fn program(n: i64) -> i64 {
    let name = fetch("a").await;
    let give = move || name;
    let k = if n > 1 {
        tick().await;
        give().len() as i64
    } else {
        0
    };
    k
}
