//! A branch that calls a workflow which returns without suspending goes on at once.

#[workflow]
async fn quick(n: i64) -> i64 {
    note(n)
}

#[workflow]
async fn slow(n: i64) -> i64 {
    let a = quick(n).await;
    act(a).await
}

#[workflow]
async fn program(cx: &Context, n: i64) -> String {
    let (a, b) = join!(slow(n), fetch("x"));
    let c = select! {
        c = quick(a) => note(c),
        _ = cx.sleep(seconds(1)) => 0,
    };
    let many = join_all([quick(1), quick(2)]).await;
    let none = join_all(Vec::<i64>::new().into_iter().map(quick)).await;
    format!("{a}{b}{c}{many:?}{none:?}{}", slow(c).await)
}
