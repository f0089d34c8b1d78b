//! Assignment drops the old value after the new one has been made.

#[workflow]
async fn program(n: i64) -> String {
    let mut value = Noisy::new("first");
    tick().await;
    value = Noisy::new(note(fetch("second").await));
    note(value.name());
    tick().await;
    value = Noisy::new("third");
    value.rename("renamed");
    act(n).await;
    value.name().to_owned()
}
