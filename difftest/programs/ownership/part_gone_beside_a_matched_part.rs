//! A part that has been moved out is filled deep in a branch; on other ways a guard looks at another part.

#[workflow]
async fn program(n: i64) -> i64 {
    let mut order = order(n).await;
    order.lines.truncate(1);
    let length = price(&order).await;
    let joined = concat(&(order.customer), "x").await.len() as i64;
    let length = act(length + joined + order.id + takes(order.customer)).await;
    let value = match order.id {
        x if x % 2 == 0 => {
            if n > 2 {
                act(x).await;
                let mut round = 0;
                while round < 3 {
                    round += 1;
                    if n > 3 {
                        let id = &mut order.id;
                        *id += 1;
                    } else {
                        order.customer = String::from("filled");
                        note(order.customer.clone());
                    }
                }
            }
            1
        }
        x @ 1..=50 if note(x) > 2 => 2,
        _ => 3,
    };
    note(value + length);
    order.id
}

fn takes(text: String) -> i64 {
    text.len() as i64
}
