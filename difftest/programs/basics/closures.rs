//! Closures between awaits, capturing locals.

#[workflow]
async fn program(cx: &Context, n: i64) -> Vec<i64> {
    let factor = act(n).await;
    let items = list(4).await;
    let scaled: Vec<i64> = items.iter().map(|x| x * factor).collect();
    let offset = act(2).await;
    let mut log = Vec::new();
    let mut push = |x: i64| log.push(x + offset);
    push(1);
    push(factor);
    act(3).await;
    log.extend(scaled.iter().filter(|x| **x > offset));
    let x = Some(offset).map(|offset| offset + 1).unwrap_or_default();
    log.push(act(x).await);
    log
}
