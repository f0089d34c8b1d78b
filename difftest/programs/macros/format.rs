//! Awaits inside of `format!`, by position, by name and with inline captures.

#[workflow]
async fn program(n: i64) -> String {
    let x = act(n).await;
    let text = format!("{} {x} {y:>4} {0}", act(x).await, y = act(note(2)).await);
    let width = 6;
    tick().await;
    format!("{text:>width$}|{:?}", fetch(&text).await)
}
