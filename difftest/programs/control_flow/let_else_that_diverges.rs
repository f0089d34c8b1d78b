//! The `else` of a `let` awaits, and ends in what never returns, or in branches that all leave.

#[workflow]
async fn program(n: i64) -> i64 {
    fn never(n: i64) -> ! {
        panic!("{n} is too much")
    }
    let mut rounds = 0;
    loop {
        rounds += 1;
        let Some(found) = try_find(n + rounds).await.ok().flatten() else {
            if act(rounds).await > 15 {
                act(1).await;
                never(rounds)
            } else if rounds < 3 {
                continue;
            }
            match act(2).await {
                0..=3 => break rounds,
                4 => panic!("{}", act(3).await),
                _ => select! {
                    x = act(4) => return x,
                    _ = fetch("a") => {
                        never(n);
                    }
                },
            }
        };
        let Some(_) = Some(found).filter(|it| *it < 30) else {
            act(5).await;
            never(found);
        };
        if rounds > 4 {
            return found;
        }
    }
}
