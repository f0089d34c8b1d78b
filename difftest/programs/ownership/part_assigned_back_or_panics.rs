//! The code between a move out of a part and the assignment to it panics, with and without an await between.

#[derive(Debug, Serialize, Deserialize)]
struct Order {
    id: i64,
    lines: Vec<i64>,
}

fn checked(lines: Vec<i64>, id: i64) -> Vec<i64> {
    assert!(id < 2, "{id} is too many");
    lines
}

#[workflow]
async fn program(n: i64) -> i64 {
    let mut order = Order { id: n, lines: vec![1] };
    for id in 0..n {
        order.lines = checked(order.lines, id - 1);
        order.lines = match act(id).await {
            3 => panic!("three of {}", order.id),
            line => [order.lines, vec![line]].concat(),
        };
        order.lines = checked(order.lines, act(id).await);
        note(&order);
    }
    order.lines.len() as i64
}
