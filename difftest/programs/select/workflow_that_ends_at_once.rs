//! A called workflow that awaits nothing has its value before the `async` blocks behind it have theirs.

#[workflow]
async fn program(cx: &Context, n: i64) -> Vec<i64> {
    let first = select! {
        x = at_once(n) => x,
        x = async { n + 100 } => x,
        x = act(n) => x,
    };
    let second = select! {
        x = act(n) => x,
        x = async { if n > 3 { n + 200 } else { act(n).await } } => x,
        x = at_once(n) => x,
        x = async { n + 300 } => x,
    };
    let third = select! {
        all = join_all([at_once(n), at_once(n + 1)]) => all[1],
        x = async { n + 400 } => x,
    };
    let fourth = select! {
        none = join_all([at_once(n)].into_iter().skip(1)) => none.len() as i64,
        x = async { n + 500 } => x,
    };
    vec![first, second, third, fourth]
}

#[workflow]
async fn at_once(n: i64) -> i64 {
    n + 1
}
