//! The function that is called is itself chosen first.

fn double(x: i64) -> i64 {
    note(x) * 2
}

fn triple(x: i64) -> i64 {
    note(x) * 3
}

#[workflow]
async fn program(n: i64) -> i64 {
    let chosen: fn(i64) -> i64 = if n % 2 == 0 { double } else { triple };
    let doubled = chosen(n + 1);
    let x = double(act(doubled).await);
    (if x > 50 { double } else { triple })(note(1)) + act(x).await
}
