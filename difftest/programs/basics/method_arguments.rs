//! Receivers stay places; hidden borrows end before the await.

#[workflow]
async fn program(cx: &Context, n: i64) -> (Vec<i64>, String) {
    let mut v = Vec::new();
    v.push(act(n).await);
    v.push(act(v[0]).await);
    v.insert(note(0), act(3).await);
    let mut s = String::from("a");
    s.push_str(&text(n).await);
    s.push_str(text(7).await.as_str());
    (v, s)
}
