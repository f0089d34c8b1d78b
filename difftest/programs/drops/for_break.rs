//! A loop that is left early, before and after its items were saved: the rest is dropped then.

#[workflow]
async fn program(n: i64) -> i64 {
    let items: Vec<Noisy> = (0..4).map(|i| Noisy::new(format!("item {i}"))).collect();
    let _outer = Noisy::new("outer");
    for item in items {
        if n == 0 {
            break;
        }
        let answer = act(n).await;
        note(item.name().len());
        if answer % 2 == 0 {
            break;
        }
    }
    note("after");
    let mut rounds = 0;
    for item in [Noisy::new("first"), Noisy::new("second"), Noisy::new("third")] {
        rounds += act(rounds).await;
        if rounds > n {
            drop(item);
            return rounds;
        }
    }
    rounds
}
