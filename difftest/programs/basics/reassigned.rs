//! Variables that lose their value and get a new one.

#[workflow]
async fn program(cx: &Context, n: i64) -> Vec<String> {
    let mut out = Vec::new();
    let mut name = text(n).await;
    for i in 0..n {
        out.push(name);
        act(i).await;
        name = text(i).await;
    }
    let mut other = text(50).await;
    if n > 1 {
        drop(other);
        act(8).await;
        other = "new".to_owned();
    }
    out.push(name);
    out.push(other);
    out
}
