//! Functions that take and give references, used up before the await.

fn longest<'a>(a: &'a str, b: &'a str) -> &'a str {
    if a.len() > b.len() { a } else { b }
}

fn grow(values: &mut Vec<i64>) -> &mut i64 {
    values.push(0);
    values.last_mut().expect("just pushed")
}

#[workflow]
async fn program(n: i64) -> i64 {
    let (a, b) = (fetch("a").await, fetch("bcd").await);
    let chosen = fetch(longest(&a, &b)).await;
    let mut values = list(n).await;
    *grow(&mut values) = chosen.len() as i64;
    *grow(&mut values) += act(n).await;
    total(&values).await
}
