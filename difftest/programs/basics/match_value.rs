//! `match` on awaited values, with guards and bindings.

#[workflow]
async fn program(cx: &Context, n: i64) -> String {
    let word = match act(n).await {
        4 => text(1).await,
        x @ 5..=29 => format!("{x} {}", text(x).await),
        x if x > 30 => {
            let y = act(x).await;
            format!("{y}")
        }
        _ => "other".to_owned(),
    };
    match word.len() {
        0 => { note("empty"); }
        3 => { act(3).await; }
        length => { note(length); }
    }
    word
}
