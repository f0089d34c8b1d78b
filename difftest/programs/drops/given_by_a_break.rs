//! What a `break` gives, out of code without an await, to a block, is dropped at the end of its scope.

#[workflow]
async fn program(n: i64) -> i64 {
    let mut _given = 'l1: {
        if n > 1 {
            break 'l1 (Some(None::<Noisy>.unwrap_or_else(|| Noisy::new("else")))
                .into_iter()
                .collect::<Vec<_>>());
        }
        if n > 100 {
            act(n).await;
        }
        let Some(two) = (if n == 1 { Some(Noisy::new("two")) } else { None }) else {
            let held = vec![Noisy::new("three"), Noisy::new("four")];
            note(held.len() as i64);
            break 'l1 held;
        };
        vec![two, Noisy::new("last")]
    };
    let mut round = 0;
    loop {
        round += 1;
        if n > 100 {
            act(n).await;
        }
        note(round);
        if round > 2 {
            break;
        }
    }
    note("left");
    3
}
