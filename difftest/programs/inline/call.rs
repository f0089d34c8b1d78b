//! Calls of other workflows run inline.

#[workflow]
async fn double(n: i64) -> i64 {
    let x = act(n).await;
    x * 2
}

#[workflow]
async fn program(n: i64) -> i64 {
    let a = double(n).await;
    let b = double(note(a + 1)).await + double(b_of(a)).await;
    add(a, b).await
}

fn b_of(a: i64) -> i64 {
    note(a) % 7
}
