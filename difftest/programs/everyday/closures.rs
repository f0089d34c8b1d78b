//! Closures that end before an await, that capture nothing and are used again, and that are made anew.

#[workflow]
async fn program(n: i64) -> Vec<i64> {
    let double = |x: i64| x * 2;
    let clamp = |x: i64, max: i64| -> i64 { x.min(max).max(-max) };
    let mut list = list(n).await;
    list.iter_mut().for_each(|item| *item = double(*item));
    let base = act(n).await;
    let over = list.iter().copied().filter(|item| *item > base).count();
    let mut log = Vec::new();
    let mut remember = |x: i64| log.push(clamp(x, 50));
    remember(base);
    remember(over as i64);
    for item in list.iter().map(|item| item + base).collect::<Vec<_>>() {
        log.push(clamp(act(double(item)).await, 90));
    }
    let by_key = {
        let offset = add(base, 1).await;
        move |item: &i64| (item + offset) % 7
    };
    list.sort_by_key(by_key);
    let found = match list.binary_search_by(|probe| probe.cmp(&base)) {
        Ok(at) => act(at as i64).await,
        Err(at) => -(at as i64),
    };
    let text: String = fetch("key").await.chars().map(|c| if c == 'k' { 'q' } else { c }).collect();
    log.extend((0..3).map(|x| x + text.len() as i64));
    log.push(found);
    let compose = |f: fn(i64) -> i64, g: fn(i64) -> i64| move |x| g(f(x));
    let one = act(1).await;
    log.push(compose(double, |x| x + 1)(one));
    log.dedup_by_key(|item| *item / 10);
    log
}
