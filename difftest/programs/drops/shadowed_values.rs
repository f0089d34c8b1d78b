//! A shadowed value lives on until the end of its scope.

#[workflow]
async fn program(n: i64) -> i64 {
    let value = Noisy::new("first");
    let length = value.name().len() as i64;
    let value = Noisy::new("second");
    tick().await;
    let value = (value, Noisy::new("third"));
    note(value.0.name());
    act(n + length).await
}
