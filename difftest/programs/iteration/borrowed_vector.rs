//! `for` over a borrowed local, whose items are made from it, and which is used again afterwards.

#[workflow]
async fn program(n: i64) -> i64 {
    let names = words("one two three").await;
    let mut sum = 0;
    for name in names.iter().cloned() {
        sum += lookup(&name).await.unwrap_or(n);
    }
    for (i, length) in names.iter().map(String::len).enumerate() {
        sum += act(i as i64).await + length as i64;
    }
    sum + names.len() as i64
}
