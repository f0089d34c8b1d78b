//! Guards of `matches!` that await, in a condition, in another macro and in a branch.

#[workflow]
async fn program(n: i64) -> (bool, bool, i64) {
    let found = find(n).await;
    let is_long = matches!(&found, Some(text) if act(text.len() as i64).await > 2);
    let text = format!("{}", matches!(shape(n).await, Shape::Circle { radius } | Shape::Rect(radius, _) if flag(radius).await));
    if matches!(lookup("four").await, Some(1..=4) if flag(1).await) && !matches!(n, 7) {
        let (inner, ()) = join!(
            async { matches!(pair(n).await, (a, _) if act(a).await > a) },
            async { tick().await },
        );
        return (is_long, inner, text.len() as i64);
    }
    assert!(matches!(n, _ if flag(n).await || true), "never");
    (is_long, found.is_some(), note(text.len() as i64))
}
