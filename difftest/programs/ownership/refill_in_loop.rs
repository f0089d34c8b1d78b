//! A part moved out in every round of a loop and filled again with what comes back.

fn refine(text: String) -> String {
    format!("{text}+")
}

#[workflow]
async fn program(n: i64) -> String {
    let mut order = order(n + 1).await;
    for round in 0..3 {
        let name = order.customer;
        order.customer = concat(&name, "x").await;
        if round == n {
            continue;
        }
        order.customer = fetch(&refine(order.customer)).await;
        let lines = order.lines;
        if lines.is_empty() {
            order.lines = Vec::new();
            break;
        }
        tick().await;
        order.lines = lines;
    }
    let mut rounds = 0;
    while rounds < 2 {
        rounds += 1;
        let lines = std::mem::take(&mut order.lines);
        order.lines = lines.into_iter().skip(1).collect();
        let customer = order.customer;
        if rounds == n {
            tick().await;
        }
        order.customer = refine(customer);
    }
    format!("{order:?}")
}
