//! Borrows of a value that a branch may make, in an `Option` that is looked up or replaced by another borrow.

#[workflow]
async fn program(n: i64) -> Option<String> {
    let known = Noisy::new("known");
    let other = list(n).await;
    let fetched = if n > 1 { Some(fetch("a").await) } else { None };
    let text = fetch("b").await;
    let name = fetched.as_ref().unwrap_or(&text);
    let counts = match n {
        2 => Some(order(n).await.lines.iter().map(|line| line.count).collect::<Vec<_>>()),
        _ => None,
    };
    let rows = counts.as_ref().unwrap_or(&other);
    let made = if n > 3 {
        let _inner = Noisy::new("inner");
        tick().await;
        Some(Noisy::new("made"))
    } else {
        None
    };
    let noisy = made.as_ref().unwrap_or(&known);
    tick().await;
    note(format!("{noisy:?}"));
    let mut round = 0;
    while round < 3 {
        round += 1;
        let of_round = if round > 1 { Some(Noisy::new(format!("round {round}"))) } else { None };
        let held = match &of_round {
            Some(noisy) => noisy,
            None => noisy,
        };
        let last = Noisy::new("last");
        if flag(round).await {
            continue;
        }
        note(format!("{held:?}{last:?}"));
    }
    let (one, two) = join!(
        async {
            let loaded = if n > 2 { Some(fetch("x").await) } else { None };
            let text = loaded.as_ref().unwrap_or(name);
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
