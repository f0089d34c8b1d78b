//! The arms of a `match` have values that nobody uses.

#[workflow]
async fn program(n: i64) -> i64 {
    match n {
        x if x % 2 == 0 => note(3),
        x => {
            let y = x + 1;
            y
        }
    };
    n
}
