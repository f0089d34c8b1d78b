//! A value that was moved in one branch is dropped at the end only after the other.

#[workflow]
async fn program(n: i64) -> i64 {
    let a = Noisy::new("a");
    let b = Noisy::new("b");
    if flag(n).await {
        tick().await;
        drop(a);
        note("moved");
    } else {
        tick().await;
        note("kept");
    }
    let x = act(n).await;
    note(b.name().len());
    x
}
