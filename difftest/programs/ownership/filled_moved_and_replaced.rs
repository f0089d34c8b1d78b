//! A part that is gone is filled, then the whole is moved and replaced, within one branch.

#[workflow]
async fn program(cx: &Context, n: i64) -> String {
    let mut order = Order { id: n, customer: String::from("a"), lines: Vec::new() };
    let mut names = order.customer;
    for _ in 0..n {
        select! {
            Bump(by) = cx.signal::<Bump>() => names += &by.to_string(),
            Approve { by } = cx.signal() => {
                order.customer = by;
                let taken = order;
                order = Order { id: taken.id + 1, customer: taken.customer.clone(), lines: taken.lines };
                names += &taken.customer;
                names += &order.customer;
            }
        }
    }
    format!("{names} {}", order.id)
}
