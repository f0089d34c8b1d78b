//! Awaits as index and as what is indexed.

#[workflow]
async fn program(n: i64) -> i64 {
    let values = [10, 20, 30];
    let picked = values[act(n).await as usize % 3];
    let other = list(4).await[note(1)];
    picked + other + [1, 2, 3][(act(picked).await % 3) as usize]
}
