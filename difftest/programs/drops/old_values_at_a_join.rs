//! What a variable had is dropped when it gets another value, also after a branch that may await.

#[workflow]
async fn program(n: i64) -> i64 {
    let mut value = Noisy::new("old");
    let mut other = Noisy::new("other");
    if n == 1 {
        tick().await;
    }
    note("before");
    value = Noisy::new("new");
    note("between");
    if n == 2 {
        tick().await;
    }
    if n != 3 {
        other = Noisy::new("another");
    }
    note("after");
    if n == 3 {
        drop(other);
        note("dropped");
    }
    value.rename("renamed");
    n
}
