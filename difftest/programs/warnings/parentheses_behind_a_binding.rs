//! Parentheses that a binding needs are not called unnecessary, where only a part looks at what it binds.

#[workflow]
async fn program(n: i64) -> i64 {
    let pair = (Some(n), act(n).await);
    if let (Some(x @ (0 | 2..)), y @ (1 | 4..)) = &pair {
        note(act(*x).await);
        note(act(*y).await);
    }
    match pair {
        (Some(x @ (0 | 5..)), _) if note(1) > 2 => x,
        (Some(x @ (0 | 5..)), y @ (1 | 2 | 4..)) if x % 2 == 0 => x + y,
        (Some(x @ (0 | 5..)), _) => act(x).await,
        _ => 3,
    }
}
