//! Everything in scope is dropped on an early return.

#[workflow]
async fn program(n: i64) -> i64 {
    let _a = Noisy::new("a");
    tick().await;
    for i in 0..2 {
        let _b = Noisy::new(format!("b{i}"));
        tick().await;
        if i == n {
            return note(act(i).await);
        }
    }
    let _c = Noisy::new("c");
    note(-1)
}
