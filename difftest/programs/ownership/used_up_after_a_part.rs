//! A value that is used up in an operand, after a number of it has been an operand before.

#[workflow]
async fn program(n: i64) -> i64 {
    let first = order(n).await;
    let second = order(n + 1).await;
    let sum = add(first.id, act(join!(act(1), act({ first }.lines.len() as i64)).0).await).await;
    sum + add(second.id, price(&note(second)).await).await
}
