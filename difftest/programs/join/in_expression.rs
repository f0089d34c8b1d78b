//! `join!` as an argument, as an operand and as a scrutinee.

#[workflow]
async fn program(n: i64) -> i64 {
    let sum = join!(act(n), act(1)).0 + join!(act(2), fetch("x")).1.len() as i64;
    match join!(flag(n), find(n), lookup("four")) {
        (true, Some(text), _) => sum + text.len() as i64,
        (_, None, Some(length)) => add(sum, length).await,
        (odd, ..) => i64::from(odd) + act(sum).await,
    }
}
