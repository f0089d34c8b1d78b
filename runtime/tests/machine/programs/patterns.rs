//! Patterns by value of every kind.

#[derive(Clone, Debug, PartialEq, serde::Serialize, serde::Deserialize)]
struct Wrapper {
    inner: [i64; 3],
    name: String,
}

crate::harness::program! {
    async fn patterns(cx: &Context, n: i64) -> i64 {
        let (a, mut b) = pair(n).await;
        b.push('!');
        let Wrapper { inner: [first, .., last], name } = Wrapper { inner: [step(1).await, 2, 3], name: b };
        step(first).await;
        let whole @ Wrapper { .. } = Wrapper { inner: [last, 5, 6], name };
        let [x, y, z] = whole.inner;
        step(x).await;
        let ((p, q), r) = ((y, z), step(a).await);
        let (mut m, _) = (step(2).await, text(1).await);
        m += p;
        let Some(v) = maybe(3).await else { return 0 };
        m + q + r + v + whole.name.len() as i64
    }
    (1) (2)
}
