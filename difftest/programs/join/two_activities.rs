//! Both are started before either is waited for.

#[workflow]
async fn program(n: i64) -> i64 {
    let (a, text) = join!(act(note(n)), fetch("text"));
    a + text.len() as i64 + act(a).await
}
