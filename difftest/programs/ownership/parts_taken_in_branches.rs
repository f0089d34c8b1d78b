//! A pattern takes a part before branches of which each awaits and needs another.

#[workflow]
async fn program(n: i64) -> String {
    let mut out = String::new();
    for i in 0..2 {
        let pair = (fetch("a").await, list(n + i).await);
        let (a, _) = pair;
        if n > 2 {
            out += &a;
            out += &total(&pair.1).await.to_string();
        } else {
            out += &concat(&a, "b").await;
            let (_, b) = pair;
            tick().await;
            out += &b.len().to_string();
        }
    }
    out
}
