//! `||` does not evaluate its right side after a true left one, also under `!`.

#[workflow]
async fn program(n: i64) -> i64 {
    let either = flag(n).await || !(flag(n + 1).await || note(false));
    let mixed = n > 3 && flag(1).await || note(n == 0) && flag(2).await;
    i64::from(either) + 2 * i64::from(mixed || flag(n / 2).await)
}
