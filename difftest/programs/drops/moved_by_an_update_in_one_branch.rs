//! One branch moves parts of a value into another one, by an update. On the other way it ends with its scope.

#[derive(Debug, Serialize, Deserialize)]
struct Pair { a: Noisy, b: Noisy, n: i64 }
#[workflow]
async fn program(n: i64) -> i64 {
    let base = Pair { a: Noisy::new("a"), b: Noisy::new("b"), n };
    let mut next = None;
    if n > 2 { next = Some(Pair { a: Noisy::new("c"), ..base }); }
    if n > 4 { tick().await; }
    note("end");
    next.map_or(0, |p| p.n)
}
