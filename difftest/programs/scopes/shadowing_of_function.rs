//! Locals with the names of activities, functions and macros.

#[workflow]
async fn program(n: i64) -> i64 {
    let act = act(n).await;
    let fetch = fetch("x").await;
    let list = list(act).await;
    let vec = list.len();
    let note = note(vec);
    tick().await;
    act + fetch.len() as i64 + note as i64 + vec![1; vec].len() as i64
}
