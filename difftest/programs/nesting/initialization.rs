//! Deferred and conditional initialization in loops and matches, with values that have destructors.

/// A key that is found, or not, depending on `n`.
fn some(n: i64) -> String {
    "x".repeat(n.rem_euclid(5) as usize)
}

#[workflow]
async fn program(n: i64) -> i64 {
    let mut rounds = 0;
    let result: (i64, Noisy);
    let label;
    loop {
        let fresh;
        let count: i64;
        if rounds == n {
            fresh = Noisy::new("equal");
            count = act(rounds).await;
        } else if flag(rounds).await {
            count = 1;
            fresh = Noisy::new(fetch("flag").await);
        } else {
            rounds += 1;
            if rounds < 4 {
                continue;
            }
            fresh = Noisy::new("late");
            count = rounds;
            tick().await;
        }
        rounds += 1;
        match lookup(&some(count + rounds)).await {
            Some(x) if x > 2 => {
                label = format!("{x}");
                result = (x, fresh);
                break;
            }
            other => {
                note(other);
                if rounds > 6 {
                    label = String::from("given up");
                    tick().await;
                    result = (0, Noisy::new("none"));
                    break;
                }
            }
        }
    }
    let (x, noisy) = result;
    tick().await;
    note((noisy.name(), &label));
    x + rounds
}
