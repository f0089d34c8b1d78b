//! Items in a block with awaits in it.

crate::harness::program! {
    async fn inner_items(cx: &Context, n: i64) -> i64 {
        let a = {
            const FACTOR: i64 = 3;
            use std::cmp::max as larger;
            let x = step(n).await;
            larger(x, 5) * FACTOR
        };
        step(a).await
    }
    (0) (1)
}
