//! Alternatives of a guard that awaits which are constants of the same value, or one variant by two names.

const FIRST: i64 = 1;
const LEAST: i64 = 1;
#[derive(Serialize, Deserialize)]
enum Kind { Pair(i64, i64), None }
use Kind::Pair as Two;
#[workflow]
async fn program(n: i64) -> (i64, i64) {
    let a = match (act(0).await, n, n + 1) {
        (FIRST, x, _) | (LEAST, _, x) if flag(x).await => x,
        (_, x, _) => x + 100,
    };
    let kind = if n > 3 { Kind::None } else { Kind::Pair(n, 2) };
    let b = match kind {
        Two(x, _) | Kind::Pair(_, x) if flag(x).await => x,
        Kind::Pair(x, _) => x + 100,
        Kind::None => 0,
    };
    (a, b)
}
