//! Receivers stay places; hidden borrows end before the await.

crate::harness::program! {
    async fn method_arguments(cx: &Context, n: i64) -> (Vec<i64>, String) {
        let mut v = Vec::new();
        v.push(step(n).await);
        v.push(step(v[0]).await);
        v.insert(seen(0), step(3).await);
        let mut s = String::from("a");
        s.push_str(&text(n).await);
        s.push_str(text(7).await.as_str());
        (v, s)
    }
    (1)
}
