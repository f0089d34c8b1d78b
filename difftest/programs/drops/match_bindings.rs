//! Bindings of patterns are dropped at the end of their arm.

#[workflow]
async fn program(n: i64) -> i64 {
    let pair = (Noisy::new("a"), Some(Noisy::new("b")));
    match pair {
        (a, Some(b)) if n % 2 == 0 => {
            tick().await;
            note((a.name(), b.name()));
        }
        (_, b) => {
            tick().await;
            note(b.is_some());
        }
    }
    note("after");
    act(n).await
}
