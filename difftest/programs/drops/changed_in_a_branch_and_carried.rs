//! Values that code without an await changes in one of its branches, with what it has bound itself.

#[workflow]
async fn program(n: i64) -> i64 {
    let mut held = Noisy::new("held");
    let mut list = Vec::new();
    let mut round = 0;
    loop {
        if let (a, mut text) = (act(n).await, format!("text {round}")) {
            text.push('!');
            held.rename(text);
            for name in vec![Noisy::new("x"), Noisy::new("y")] {
                list.push(name);
            }
            if a > 100 {
                list.clear();
            } else {
                list = vec![Noisy::new(format!("only {n}"))];
            }
        }
        act(round).await;
        round += 1;
        if round > 2 {
            break;
        }
    }
    note("left");
    let after = if n > 1 { act(n).await } else { 3 };
    note(after);
    after
}
