//! A closure that has been made with an await and is called at once is dropped with its statement.

#[workflow]
async fn program(n: i64) -> i64 {
    let length = {
        let inner = Noisy::new("inner");
        tick().await;
        move || inner.name().len()
    }();
    note("called");
    length as i64 + n
}
