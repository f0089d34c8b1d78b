//! What a method is called on anywhere in the head of a loop is there until the loop is over, and what one is
//! called on beside an operand that leaves the function until it has been left.

#[workflow]
async fn program(n: i64) -> i64 {
    for round in i64::rem_euclid(n, 2)..vec![Noisy::new("second"), Noisy::new("operand")].len() as i64 {
        let _inner = Noisy::new(format!("round {round}"));
        note(act(round).await);
    }
    note("over");
    for round in [1, vec![Noisy::new("in an"), Noisy::new("array")].len() as i64, n] {
        note(round);
        if n == 3 && act(round).await > 4 {
            break;
        }
    }
    note("over again");
    for round in Vec::from([(vec![Noisy::new("in a"), Noisy::new("tuple")].pop().map(|it| it.name().len()), n).1]) {
        note(round);
        if n == 2 && act(round).await > 4 {
            break;
        }
    }
    note("over at last");
    let both = (
        ({ vec![Noisy::new("taken"), Noisy::new("left")] }).pop().unwrap_or(Noisy::new("else")),
        Noisy::new(fetch(if n > 1 { "long" } else { return n }).await),
    );
    note(both.1.name());
    act(n).await
}
