//! What a `match` is on is there until the statement ends that uses its value.

#[workflow]
async fn program(n: i64) -> i64 {
    let held = match Some(Noisy::new("scrutinee")) {
        Some(_) => (n < 2).then(|| Noisy::new("then")),
        none => find(n).await.map(Noisy::new),
    }
    .filter(|noisy| noisy.name().len() > 7)
    .unwrap_or_else(|| Noisy::new("else"));
    let sum = match vec![Noisy::new("a"), Noisy::new("b")].pop() {
        Some(last) if n > 2 => act(last.name().len() as i64).await,
        Some(_) => n,
        None => find(n).await.map_or(0, |text| text.len() as i64),
    } + note(n);
    note(sum)
}
