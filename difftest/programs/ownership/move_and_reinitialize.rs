//! A value moved and initialized again, before and inside a loop.

#[workflow]
async fn program(n: i64) -> Vec<String> {
    let mut text = fetch("a").await;
    let mut out = Vec::new();
    for i in 0..n.min(3) {
        out.push(text);
        text = fetch(&i.to_string()).await;
    }
    out.push(text);
    text = String::from("last");
    tick().await;
    out.push(text);
    out
}
