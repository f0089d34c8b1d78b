//! A pattern over a borrow that the source does not show, and one over the value behind an await.

struct P<'a>(&'a str, &'a [i64]);
fn whole<'a>(pair: &'a (String, Vec<i64>)) -> &'a (String, Vec<i64>) { pair }
#[workflow]
async fn program(n: i64) -> String {
    let pair = (fetch("a").await, list(n).await);
    let mut out = 0;
    {
        let r = whole(&pair);
        let (a, b) = r;
        out += a.len() + b.len();
    }
    tick().await;
    {
        let r = &pair;
        let (a, b) = r;
        out += a.len() + b.len();
        tick().await;
        out += r.0.len();
    }
    let p = P(&pair.0, &pair.1);
    let P(a, b) = p;
    out += a.len() + b.len();
    tick().await;
    let (a, b) = pair;
    tick().await;
    format!("{a}{b:?}{out}")
}
