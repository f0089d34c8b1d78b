//! Blocks as values and scopes whose values drop at their end.

#[workflow]
async fn program(cx: &Context, n: i64) -> i64 {
    let a = {
        drop(Noisy::new("first"));
        let x = act(n).await;
        let _second = Noisy::new("second");
        note("in block");
        x
    };
    note("after block");
    let b = { act({ note("inner"); a }).await };
    {
        act(3).await;
        let _guard = Noisy::new("guard");
        note("guarded");
    }
    note("unguarded");
    a + b
}
