//! Values that are never used again are not needed after an await.

#[workflow]
async fn program(_n: i64) -> i64 {
    let early = fetch("early").await;
    let length = early.len() as i64;
    let not_saveable = std::rc::Rc::new(length);
    let copied = *not_saveable;
    drop(not_saveable);
    act(copied).await
}
