//! Shadowing by `let` in one scope, with other types.

#[workflow]
async fn program(n: i64) -> i64 {
    let x = act(n).await;
    let x = fetch(&x.to_string()).await;
    let x = (x.len() as i64, x);
    tick().await;
    let (x, y) = x;
    let x = x + act(y.len() as i64).await;
    x
}
