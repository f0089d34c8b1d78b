//! Inline calls in `join!`, whose steps interleave.

#[workflow]
async fn chain(name: String, count: i64) -> String {
    let mut text = name;
    for i in 0..count {
        let part = fetch(&i.to_string()).await;
        text = concat(&text, note(&part)).await;
    }
    text
}

#[workflow]
async fn program(n: i64) -> String {
    let (a, b) = join!(chain("a".into(), 2), chain("b".into(), n.min(2) + 1));
    let all = join_all((0..2).map(|i| chain(format!("{a}{i}"), i))).await;
    all.concat() + &b
}
