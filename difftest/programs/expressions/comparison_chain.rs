//! Comparison of awaited values of several types.

#[workflow]
async fn program(n: i64) -> Vec<bool> {
    vec![
        fetch("a").await == fetch("b").await,
        fetch("a").await < fetch("b").await,
        shape(n).await == Shape::Point,
        lookup("xy").await != Some(note(2)),
        list(n).await.is_empty(),
    ]
}
