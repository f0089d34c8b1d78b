//! An activity call held in a variable and awaited later; nothing starts before.

#[workflow]
async fn program(n: i64) -> i64 {
    let first = act(note(n));
    let second = act(note(n + 1));
    let b = second.await;
    let a = note(b);
    first_then(a, b)
}

fn first_then(a: i64, b: i64) -> i64 {
    a * 1000 + b
}
