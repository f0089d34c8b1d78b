//! Locals are dropped in reverse order of declaration, those that crossed an await too.

#[workflow]
async fn program(n: i64) -> i64 {
    let _a = Noisy::new("a");
    let x = act(n).await;
    let _b = Noisy::new("b");
    {
        let _c = Noisy::new("c");
        tick().await;
        let _d = Noisy::new("d");
    }
    note("between");
    let _e = Noisy::new("e");
    act(x).await
}
