//! What is left of the value of a `match` is dropped before what the `match` has looked into.

#[workflow]
async fn program(n: i64) -> i64 {
    let taken = match vec![Noisy::new("first"), Noisy::new("last")].pop() {
        Some(noisy) if n > 3 => (noisy, Noisy::new("second")),
        _ => (Noisy::new(fetch("other").await), Noisy::new("second")),
    }
    .1;
    note("taken");
    let mut kept = Noisy::new("kept");
    kept = match vec![Noisy::new("first"), Noisy::new("last")].pop() {
        Some(noisy) if n > 5 => (noisy, Noisy::new("second")),
        _ => (Noisy::new(fetch("other").await), Noisy::new("second")),
    }
    .1;
    note((taken.name().len(), kept.name().len()));
    n
}
