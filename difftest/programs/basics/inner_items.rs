//! Items in a block with awaits in it.

#[workflow]
async fn program(cx: &Context, n: i64) -> i64 {
    let a = {
        const FACTOR: i64 = 3;
        use std::cmp::max as larger;
        let x = act(n).await;
        larger(x, 5) * FACTOR
    };
    act(a).await
}
