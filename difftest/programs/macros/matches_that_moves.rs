//! `matches!` with a pattern that moves what was awaited, before a branch that may await.

#[workflow]
async fn program(n: i64) -> i64 {
    let mut rounds = 0;
    loop {
        rounds += 1;
        if note(matches!(shape(n + rounds).await, Shape::Named(name, inner) if name.len() > 2 && *inner == Shape::Point)) {
            break act(rounds).await;
        }
        if rounds > 3 {
            tick().await;
            break 0;
        }
        note("round");
    }
}
