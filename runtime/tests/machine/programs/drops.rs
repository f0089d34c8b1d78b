//! Values that live across awaits are dropped once, in the same order.

crate::harness::program! {
    async fn drops(cx: &Context, n: i64) -> i64 {
        let a = Noisy::new("a");
        let b = Noisy::new("b");
        step(n).await;
        trace(a.name());
        {
            let c = Noisy::new("c");
            step(2).await;
            trace(c.name());
        }
        if n > 1 {
            drop(b);
            step(3).await;
        } else {
            step(4).await;
            trace(b.name());
            drop(b);
        }
        trace(a.name());
        5
    }
    (1) (2)
}
