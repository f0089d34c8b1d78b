//! A part that nothing else reads any more is given a value on the way out, and that is returned.

fn positive(n: i64) -> Result<i64, String> {
    if n > 0 { Ok(n) } else { Err(format!("{n} is not")) }
}

fn either(order: &mut Order, first: &str) -> String {
    format!("{first} {}", order.id)
}

#[workflow]
async fn program(n: i64) -> String {
    let mut order = order(n + 1).await;
    note(act(order.id).await);
    let first = order.customer.chars().next().unwrap_or('a');
    if flag(order.id).await {
        let Ok(count) = positive(n) else {
            order.customer = String::from("not positive");
            return order.customer.clone();
        };
        note(count);
    }
    if flag(n).await {
        let number = match positive(n - 1) {
            Ok(1) => {
                if order.id > 4 {
                    order.customer = String::from("many");
                } else {
                    order.customer = format!("few {first}");
                }
                return order.customer.clone() + "!";
            }
            Ok(2) => {
                order = Order { id: 3, customer: String::from("whole"), lines: Vec::new() };
                return either(&mut order, "by reference");
            }
            Ok(number) => number,
            Err(text) => {
                (order.customer, order.id) = (text, 12);
                return order.customer;
            }
        };
        note(number);
    }
    note(act(order.id).await);
    note(order.id);
    fetch("end").await
}
