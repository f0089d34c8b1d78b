//! Values in collections that cross awaits.

#[workflow]
async fn program(n: i64) -> usize {
    let mut all = vec![Noisy::new("a"), Noisy::new("b"), Noisy::new("c")];
    tick().await;
    let removed = all.remove((act(n).await % 3) as usize);
    note(removed.name());
    all.truncate(1);
    tick().await;
    all.push(Noisy::new("d"));
    drop(removed);
    let kept = all.len();
    all.clear();
    tick().await;
    note(kept)
}
