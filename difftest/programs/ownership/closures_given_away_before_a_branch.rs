//! Closures that have taken something over are given away before branches that await.

#[workflow]
async fn program(n: i64) -> i64 {
    let name = Noisy::new(fetch("a").await);
    let list = list(n).await;
    let size = move |x: &i64| name.name().len() as i64 + *x;
    let k: Vec<i64> = list.iter().map(size).collect();
    if n > 1 {
        tick().await;
    }
    let other = Noisy::new("o");
    let f = move || other.name().len();
    if n > 2 { act(f() as i64).await; }
    let m = f();
    match n { 0 => { act(1).await; } _ => { note(f()); } }
    tick().await;
    k.iter().sum::<i64>() + m as i64
}
