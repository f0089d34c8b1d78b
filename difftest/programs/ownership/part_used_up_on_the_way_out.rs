//! A part is used up on the way out of a loop, and filled on one way after it.

#[workflow]
async fn program(n: i64) -> i64 {
    let mut order = order(n).await;
    let length = loop {
        let c = order.customer;
        if flag(c.len() as i64 + n).await {
            break c.len();
        }
        if c.len() > 40 {
            break 3;
        }
        order.customer = c + "x";
        order.id += 1;
        if order.id > 6 {
            break order.customer.len();
        }
    };
    act(length as i64).await;
    let id = {
        let id = &mut order.id;
        *id += act(3).await;
        *id
    };
    let more = if n > 3 {
        order.customer = String::new();
        price(&order).await
    } else {
        order.id
    };
    id + more
}
