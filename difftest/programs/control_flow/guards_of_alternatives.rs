//! A guard that awaits is evaluated for each alternative that matches, until it holds.
#[workflow]
async fn program(n: i64) -> Vec<i64> {
    let mut out = Vec::new();
    for pair in [(n, 2), (n + 1, n), (3, 3), (1, n)] {
        match pair {
            (1, x) | (x, 2) | (x, _) if flag(x).await => {
                let y = act(x).await;
                tick().await;
                out.push(x + y);
            }
            (a, _) => out.push(a * 100),
        }
    }
    for pair in [(n, 2), (n + 1, n), (3, 3)] {
        if matches!(pair, (1, x) | (x, 2) | (x, _) if flag(x).await) {
            out.push(7);
        }
    }
    let (a, b) = (find(n).await, find(n + 1).await);
    match (a, b) {
        (Some(x), _) | (_, Some(x)) if flag(x.len() as i64).await => drop(note(fetch(&x).await)),
        (x, y) => drop(note((x, y))),
    }
    let s = shape(n).await;
    let code = match s {
        Shape::Rect(a, _) | Shape::Circle { radius: a } if flag(a).await => act(a).await,
        Shape::Rect(..) | Shape::Point if flag(n).await => 3,
        _ => 4,
    };
    out.push(code);
    match n {
        0 | 2..=4 | 7.. if flag(n).await => out.push(1),
        0..=3 | 1..=5 if flag(n + 1).await => out.push(2),
        _ => {}
    }
    match (n, true) {
        (0 | 1, true | false) if flag(n).await => out.push(1),
        _ => {}
    }
    match try_act(n).await {
        Ok(a @ ..=110) | Err(ActivityError::Failed(Refused { code: a })) if flag(a).await => {
            out.push(act(a).await);
        }
        Ok(x) => out.push(x),
        Err(_) => {}
    }
    out
}
