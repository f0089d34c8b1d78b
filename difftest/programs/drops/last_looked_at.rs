//! A question about what a value lends is not the end of the value.

#[workflow]
async fn program(n: i64) -> i64 {
    let mut found = None;
    let mut rounds = 0;
    let kept = vec![Noisy::new("kept")];
    if kept.iter().any(|it| it.name() == "kept") {
        rounds += 1;
    }
    let last = Some(Noisy::new("last"));
    if last.is_some() {
        rounds += 1;
    }
    for i in 0_i64..4 {
        if i % 2 == 0 {
            found = Some(Noisy::new(&i.to_string()));
        } else if found.as_ref().is_some_and(|it| it.name().len() > 2) {
            note("long");
        } else if kept.first().is_some() {
            loop {
                note("again");
                found = Some(Noisy::new("new"));
                rounds += 1;
                if flag(rounds).await || rounds > 6 {
                    break;
                }
            }
        }
    }
    if n > 3 {
        act(n).await;
    }
    note("end");
    rounds
}
