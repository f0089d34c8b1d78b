//! What an assignment to `_` does not take goes with the statement.

#[workflow]
async fn program(n: i64) -> i64 {
    _ = {
        let (a, b) = (Noisy::new(fetch("a").await), Noisy::new("b"));
        (b, a)
    };
    note(1);
    let kept;
    (kept, _) = if n > 0 {
        (Noisy::new(fetch("c").await), Noisy::new("d"))
    } else {
        (Noisy::new("e"), Noisy::new("f"))
    };
    note(kept.name());
    n
}
