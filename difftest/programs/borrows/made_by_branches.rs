//! Borrows of what branches make, in variables that are declared before them.

#[workflow]
async fn program(n: i64) -> Option<String> {
    let known = Noisy::new("known");
    let other = list(n).await;
    let (fetched, counts, made);
    let name = if n > 1 {
        fetched = fetch("a").await;
        &fetched
    } else {
        return None;
    };
    let rows = match n {
        2 => {
            counts = order(n).await.lines.iter().map(|line| line.count).collect::<Vec<_>>();
            &counts
        }
        _ => &other,
    };
    let noisy = if n > 3 {
        let _inner = Noisy::new("inner");
        tick().await;
        made = Noisy::new("made");
        &made
    } else {
        &known
    };
    tick().await;
    note(format!("{noisy:?}"));
    let mut round = 0;
    while round < 3 {
        round += 1;
        let of_round;
        let held = if round > 1 {
            of_round = Noisy::new(format!("round {round}"));
            &of_round
        } else {
            noisy
        };
        let last = Noisy::new("last");
        if flag(round).await {
            continue;
        }
        note(format!("{held:?}{last:?}"));
    }
    let (one, two) = join!(
        async {
            let loaded;
            let text = if n > 2 {
                loaded = fetch("x").await;
                &loaded
            } else {
                name
            };
            tick().await;
            text.len()
        },
        async {
            let text = match act(n).await {
                count if count > 3 => fetch("long").await,
                _ => name.clone(),
            };
            tick().await;
            text.len()
        }
    );
    Some(format!("{name}{rows:?}{one}{two}"))
}
