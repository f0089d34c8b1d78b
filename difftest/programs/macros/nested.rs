//! Macros within macros, with awaits at the bottom.

#[workflow]
async fn program(n: i64) -> String {
    let parts = vec![
        format!("{}-{}", fetch("a").await, vec![act(n).await, act(1).await].len()),
        format!("{:?}", vec![format!("{}", act(note(2)).await)]),
    ];
    format!("{}", parts.join(&fetch("+").await))
}
