//! What an `if let` takes its value out of goes after its block, and before the `else`.

#[workflow]
async fn program(n: i64) -> i64 {
    for round in 0..3 {
        if let Some(last) = vec![Noisy::new("first"), Noisy::new("last")].pop() {
            note(round);
            if round == n {
                continue;
            } else if round > n {
                act(round).await;
            }
        }
        note("after");
    }
    if let Some(1) = vec![Noisy::new("a"), Noisy::new(fetch("b").await)].pop().map(|it| it.name().len()) {
        note("then");
    } else {
        note("else");
    }
    while let Some(text) = vec![Noisy::new("c"), Noisy::new("d")].pop().filter(|_| n > 0) {
        note(text.name());
        if flag(n).await {
            break;
        }
        note("no");
        break;
    }
    n
}
