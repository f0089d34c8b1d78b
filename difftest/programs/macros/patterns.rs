//! Macros as patterns: those that bind nothing anywhere, and those that do in code that does not await.

macro_rules! small {
    () => {
        0..=2
    };
    (but $n:literal) => {
        0..$n | 3
    };
}

macro_rules! both {
    ($a:pat, $b:pat) => {
        ($a, $b)
    };
}

#[workflow]
async fn program(n: i64) -> i64 {
    let sum = match act(n).await {
        small!() => act(1).await,
        both if both > 3 => both,
        _ => 7,
    };
    if let (small!(but 2), kept) = (n, sum) {
        tick().await;
        note(kept);
    }
    let x = act(2).await;
    let x = x + 1;
    tick().await;
    let is_both = matches!((n, x), both!(_, x) if x > 2);
    let list: Vec<i64> = [(n, 1), (2, sum)].into_iter().map(|both!(first, second)| first * second).collect();
    list.iter().sum::<i64>() + x + i64::from(is_both)
}
