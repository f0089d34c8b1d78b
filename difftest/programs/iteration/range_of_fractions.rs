//! A range that gives none of its numbers may be of what cannot be counted.

fn is_among(range: std::ops::RangeInclusive<f64>, n: i64) -> bool {
    range.contains(&(n as f64))
}
#[workflow]
async fn program(n: i64) -> i64 {
    let (low, high) = (0.0, n as f64);
    let lent = &(low..=high);
    let mut found = 0;
    if is_among(low..=high, act(n).await) {
        found += 1;
    }
    if (low..=high).contains(&(act(1).await as f64)) {
        found += 2;
    }
    let own = low..=high;
    tick().await;
    note(format!("{lent:?} {own:?}"));
    found
}
