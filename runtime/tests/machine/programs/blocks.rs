//! Blocks as values and scopes whose values drop at their end.

crate::harness::program! {
    async fn blocks(cx: &Context, n: i64) -> i64 {
        let a = {
            drop(Noisy::new("first"));
            let x = step(n).await;
            let _second = Noisy::new("second");
            trace("in block");
            x
        };
        trace("after block");
        let b = { step({ trace("inner"); a }).await };
        {
            step(3).await;
            let _guard = Noisy::new("guard");
            trace("guarded");
        }
        trace("unguarded");
        a + b
    }
    (1)
}
