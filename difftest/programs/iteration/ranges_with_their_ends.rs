//! Ranges with their ends in patterns, copied, behind a borrow, and given a value later.

#[workflow]
async fn program(n: i64) -> i64 {
    let (mut left, names) = (1..=2, vec!["a".to_string()]);
    let plain = 1..=n;
    let shares = 0.0..=1.0;
    let mut again = plain.clone();
    let mut sum = 0;
    loop {
        let (Some(x), Some(y)) = (left.next(), again.next()) else { break };
        sum += act(x + y).await;
    }
    tick().await;
    note(format!("{left:?} {again:?} {plain:?} {:?} {names:?}", shares.contains(&0.5)));
    let numbers = &mut (n..=n + 3);
    for x in numbers.by_ref().take(2) {
        sum += act(x).await;
    }
    while let Some(x) = numbers.next() {
        sum += act(x).await;
    }
    let mut late;
    late = 'a'..='c';
    while let Some(c) = late.next() {
        fetch(&c.to_string()).await;
    }
    for mut few in [1..=2, 3..=n] {
        while let Some(x) = few.next() {
            sum += act(x).await;
        }
    }
    let mut chosen = if n > 1 { 1..=2 } else { 1..=n };
    let first = async {
        let first = chosen.next();
        tick().await;
        chosen.next();
        first
    }
    .await;
    tick().await;
    note(format!("{first:?} {chosen:?}"));
    sum
}
