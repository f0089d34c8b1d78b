//! rustc warns of values that must be used, before and after awaits and of what is awaited.

#[workflow]
async fn program(n: i64) -> i64 {
    try_act(n).await;
    n.wrapping_add(1);
    tick().await;
    n == 3;
    vec![n].len();
    if n > 100 {
        try_find(n).await;
    } else {
        Ok::<i64, i64>(3);
    }
    join!(try_act(1), act(2));
    act(n).await;
    n
}
