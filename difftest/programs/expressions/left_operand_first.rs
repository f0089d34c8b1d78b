//! The left operand is read before the right side is awaited.

#[workflow]
async fn program(n: i64) -> i64 {
    let mut x = n + 1;
    let y = x + {
        x = act(x).await;
        x * 100
    };
    let z = {
        x += 1;
        x
    } * act(y).await - x;
    note(y) + z
}
