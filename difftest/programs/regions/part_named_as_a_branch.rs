//! A part of a local has the name that an `async` block of a wait is stored under.

fn check(n: i64, at: i64) -> Option<i64> {
    (note(n) != at).then_some(at)
}

#[workflow]
async fn program(n: i64) -> Option<i64> {
    let join = (Noisy::new("left"), Noisy::new("right"));
    drop(join.1);
    let (x, y) = join!(
        async {
            let a = act(n).await;
            act(a).await
        },
        act(2)
    );
    check(n, 1)?;
    tick().await;
    check(n, 2)?;
    tick().await;
    note(join.0.name());
    Some(x + y)
}
