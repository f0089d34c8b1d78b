//! Workflows that return nothing.

#[workflow]
async fn log(text: String) {
    let text = fetch(&text).await;
    note(text);
}

#[workflow]
async fn program(n: i64) {
    log(format!("start {n}")).await;
    if n > 1 {
        return;
    }
    tick().await;
    log("end".to_owned()).await
}
