//! A part is moved in one branch and filled in another, in which nothing is awaited.

#[workflow]
async fn program(n: i64) -> i64 {
    for item in [1, 2] {
        let mut pair = (Noisy::new("left"), Noisy::new("right"));
        let mut value = Order { id: 0, customer: String::new(), lines: Vec::new() };
        if n < 2 {
            if n < 1 {
                let part = pair.0;
                let customer = value.customer;
            } else {
                let copy = value.clone();
                if n < 1 {
                    value = copy.clone();
                }
            }
            if n < 0 {
                drop(Noisy::new("other"));
            } else if let Some(x) = Some(n) {
                pair.0 = Noisy::new("new left");
                let other = pair;
                pair = (Noisy::new("newest left"), Noisy::new("newest right"));
                value.customer = String::from("a");
                let last = value;
                value = Order { id: x, customer: String::new(), lines: Vec::new() };
            }
        } else {
            act(item).await;
            drop(pair.1);
            value.customer.push('a');
            act(n).await;
            note(value);
        }
    }
    n
}
