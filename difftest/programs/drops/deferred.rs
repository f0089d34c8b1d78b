//! Locals that are initialized late or not at all.

#[workflow]
async fn program(n: i64) -> i64 {
    let late;
    let never: Noisy;
    let x = act(n).await;
    if flag(n).await {
        late = Noisy::new("late");
        tick().await;
        note(late.name());
    }
    if x > 1_000 {
        never = Noisy::new("never");
        note(never.name());
    }
    tick().await;
    note("end");
    x
}
