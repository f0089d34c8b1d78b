//! A part that may be gone is filled on one way before the rest is needed; on others nothing needs it.

#[workflow]
async fn program(n: i64) -> i64 {
    let (mut order, mut second) = (order(n).await, order(n + 1).await);
    let (given, kept) = (Noisy::new("given"), Noisy::new("kept"));
    let begun = Noisy::new(fetch("begun").await);
    order.customer.push_str("a");
    if n > 4 {
        order.customer = fetch("b").await;
        note(order.clone());
    } else {
        if n > 2 {
            note(1);
        } else {
            drop(given);
        }
        note(2);
    }
    select! {
        _ = async {
            if n > 7 {
                note(second.clone());
            } else if n > 5 {
                act(n).await;
                second.id += n;
            } else {
                if n > 3 {
                    second.customer = second.customer.clone();
                } else {
                    second.customer.push_str("a");
                    drop(kept);
                }
                note(3);
            }
            act(n).await
        } => {}
    }
    note("end");
    n
}
