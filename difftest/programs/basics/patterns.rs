//! Patterns by value of every kind.

#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
struct Wrapper {
    inner: [i64; 3],
    name: String,
}

#[workflow]
async fn program(cx: &Context, n: i64) -> i64 {
    let (a, mut b) = pair(n).await;
    b.push('!');
    let Wrapper { inner: [first, .., last], name } = Wrapper { inner: [act(1).await, 2, 3], name: b };
    act(first).await;
    let whole @ Wrapper { .. } = Wrapper { inner: [last, 5, 6], name };
    let [x, y, z] = whole.inner;
    act(x).await;
    let ((p, q), r) = ((y, z), act(a).await);
    let (mut m, _) = (act(2).await, text(1).await);
    m += p;
    let Some(v) = maybe(3).await else { return 0 };
    m + q + r + v + whole.name.len() as i64
}
