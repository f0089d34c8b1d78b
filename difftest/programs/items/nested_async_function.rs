//! An `async fn` inside of the body runs inline, with the attribute or without it.

#[workflow]
async fn program(n: i64) -> i64 {
    async fn twice(x: i64) -> i64 {
        let once = act(x).await;
        act(once).await
    }

    #[workflow]
    async fn thrice(x: i64) -> i64 {
        twice(act(x).await).await
    }

    let a = twice(n).await;
    let b = twice(note(a + 1)).await;
    a * 100 + b + thrice(b).await
}
