//! A generic workflow, called inline with two types.

#[workflow]
async fn keep<T: Serialize + serde::de::DeserializeOwned + 'static>(value: T, n: i64) -> (T, i64) {
    let x = act(n).await;
    tick().await;
    (value, x)
}

#[workflow]
async fn program(n: i64) -> String {
    let (text, a) = keep(fetch("kept").await, n).await;
    let (numbers, b) = keep(list(a).await, a).await;
    format!("{text} {numbers:?} {b}")
}
