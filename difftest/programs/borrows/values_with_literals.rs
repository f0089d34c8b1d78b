//! Tuples, options and lists with literals in them are held across awaits.

fn check(n: i64) -> Result<(), &'static str> {
    if n > 3 { Err("big") } else { Ok(()) }
}

#[workflow]
async fn program(n: i64) -> Result<String, String> {
    let pair = ("a", act(n).await);
    tick().await;
    let deep = ("x", (pair, "y"));
    tick().await;
    fetch(deep.1.1).await;
    fetch(deep.1.0.0).await;

    let plan = match act(n).await % 3 {
        0 => ("free", 10),
        1 => ("pro", 100),
        _ => ("max", n),
    };
    tick().await;
    fetch(plan.0).await;

    let mut reason = None;
    let mut last: Option<&str> = None;
    if plan.1 % 2 == 0 {
        reason = Some("even");
        last = Some("one");
    }
    tick().await;
    let reason = match reason {
        Some(reason) => fetch(reason).await,
        None => fetch("none").await,
    };

    let mut best = ("none", 0);
    for (name, x) in [("a", 3), ("b", n), ("c", 5)] {
        let x = act(x).await;
        if x > best.1 {
            best = (name, x);
        }
    }
    let mut state = ("begin", 0);
    let rounds = loop {
        state = match state {
            ("begin", k) => ("next", act(k).await),
            ("next", k) if k < 3 => ("next", k + 1),
            (_, k) => {
                tick().await;
                break k;
            }
        };
        tick().await;
    };

    let in_parallel = join!(async { fetch(best.0).await.len() as i64 }, async {
        tick().await;
        act(best.1).await
    });
    let checked = check(n);
    tick().await;
    checked?;
    Ok(format!("{reason} {last:?} {best:?} {rounds} {in_parallel:?} {}", deep.1.0.1))
}
