//! `ref` in patterns of values that nothing else holds: of `let`, of `match`, and of parameters.

fn make(n: i64) -> (String, i64) {
    (n.to_string(), n)
}

fn made(n: i64) -> Order {
    Order { id: n, customer: n.to_string(), lines: vec![] }
}

#[workflow]
async fn joined(first: Noisy, (ref a, b): (Noisy, Noisy), last: Noisy) -> String {
    let inner = Noisy::new("inner");
    let said = concat(a.name(), b.name()).await;
    note(&said);
    said + a.name() + first.name() + b.name() + last.name() + inner.name()
}

#[workflow]
async fn named((ref name, n): (String, i64)) -> String {
    let count = act(n).await;
    concat(name, &count.to_string()).await + name
}

#[workflow]
async fn program(n: i64) -> (i64, String) {
    let (ref text, number) = make(n);
    let count = act(number).await;
    let mut said = concat(text, "x").await + text;
    let Order { ref customer, ref lines, id } = order(n).await;
    let count = act(count + id).await + lines.len() as i64;
    said.push_str(customer);
    match made(n) {
        Order { id: 3, ref customer, .. } => {
            said += &fetch(customer).await;
            said += customer;
        }
        Order { ref customer, .. } => {
            said += &fetch("other").await;
            said += customer;
        }
    }
    if let Order { id: 3, ref customer, .. } = made(n) {
        said += &fetch(customer).await;
        said += customer;
    }
    let (one, two) = (Noisy::new("a"), Noisy::new("b"));
    said += &joined(Noisy::new("first"), (one, two), Noisy::new("last")).await;
    said += &named(make(n)).await;
    (count + number, said)
}
