//! `match` on awaited values, with guards and bindings.

crate::harness::program! {
    async fn match_value(cx: &Context, n: i64) -> String {
        let word = match step(n).await {
            11 => text(1).await,
            x @ 20..=29 => format!("{x} {}", text(x).await),
            x if x > 30 => {
                let y = step(x).await;
                format!("{y}")
            }
            _ => "other".to_owned(),
        };
        match word.len() {
            0 => trace("empty"),
            3 => { step(3).await; }
            length => trace(length),
        }
        word
    }
    (1) (2) (3) (0)
}
