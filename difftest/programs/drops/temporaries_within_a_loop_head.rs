//! What a method is called on deep in the head of a loop is there until the loop is over.

#[workflow]
async fn program(n: i64) -> Option<i64> {
    let start = n;
    for round in 0..i64::rem_euclid(
        start
            ^ Some(vec![Noisy::new("counted"), Noisy::new("last")].len() as i64).map(|x| x + 1)?,
        4,
    ) {
        let _inner = Noisy::new(format!("round {round}"));
        if n > 2 {
            act(round).await;
        }
    }
    note("over");
    for round in (-(vec![Noisy::new("second")].len() as i64) + start)..=start {
        if n == 3 && act(round).await > 4 {
            break;
        }
        note(round);
    }
    note("end");
    Some(3)
}
