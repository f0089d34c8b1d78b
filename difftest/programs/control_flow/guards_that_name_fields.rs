//! Guards that await, with bindings in them that stand for fields or in tokens of a macro.

struct Line { at: i64, cents: i64 }
fn total(line: Line) -> i64 {
    line.at * line.cents
}
macro_rules! is_above { ($a:expr => $b:expr) => { $a > $b } }
#[workflow]
async fn program(n: i64) -> i64 {
    match (act(n).await, n) {
        (at, cents) if flag(total(Line { at, cents })).await => at,
        (at, cents) if is_above!(at => cents) && flag(at).await => at + 100,
        (at, _) => at + 200,
    }
}
