//! A declared local that is initialized on no path that reaches an await.

#[workflow]
async fn program(n: i64) -> i64 {
    let message: String;
    if n > 1000 {
        message = "large".to_owned();
        return note(message).len() as i64;
    }
    act(n).await
}
