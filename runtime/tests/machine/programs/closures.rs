//! Closures between awaits, capturing locals.

crate::harness::program! {
    async fn closures(cx: &Context, n: i64) -> Vec<i64> {
        let factor = step(n).await;
        let items = list(4).await;
        let scaled: Vec<i64> = items.iter().map(|x| x * factor).collect();
        let offset = step(2).await;
        let mut log = Vec::new();
        let mut push = |x: i64| log.push(x + offset);
        push(1);
        push(factor);
        step(3).await;
        log.extend(scaled.iter().filter(|x| **x > offset));
        let x = Some(offset).map(|offset| offset + 1).unwrap_or_default();
        log.push(step(x).await);
        log
    }
    (1)
}
