//! `_` drops a value at once, `_name` at the end.

#[workflow]
async fn program(n: i64) -> i64 {
    let _ = Noisy::new("at once");
    let _kept = Noisy::new("kept");
    let (_, _b) = (Noisy::new("left"), Noisy::new("right"));
    let x = act(n).await;
    _ = Noisy::new("assigned");
    note("end");
    x
}
