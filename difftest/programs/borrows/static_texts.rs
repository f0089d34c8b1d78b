//! String literals that are chosen, collected, assigned and iterated over, and used after awaits.

#[workflow]
async fn program(n: i64) -> String {
    let mut state = "new";
    let mut log = String::new();
    for key in ["a", "b", "c"] {
        log.push_str(&fetch(key).await);
        log.push_str(key);
        if n > 1 {
            state = key;
        }
    }
    let late;
    if act(n).await % 2 == 0 {
        late = "even";
    } else {
        late = "odd";
        tick().await;
    }
    let (kind, number) = match n {
        0 => ("none", 0),
        1 => ("one", act(1).await),
        _ => ("many", n),
    };
    let names = ["x", "y", "z"];
    let pairs = [("p", 1), ("q", 2)];
    tick().await;
    for name in vec![names[0], "w"].into_iter().rev() {
        log.push_str(&concat(name, kind).await);
    }
    for (name, count) in [("i", 1), ("j", 2)].map(|(name, count)| (name.to_owned(), count)) {
        log.push_str(&concat(&name, "").await);
        note(count);
    }
    let label: &'static str = if number > 1 { "big" } else { kind };
    let empty = if flag(n).await { "" } else { "full" };
    tick().await;
    let total = concat(state, match n { 0 => "zero", _ => names[1] }).await;
    format!("{log} {state} {late} {kind} {number} {label} {empty} {total} {}", pairs[1].0)
}
