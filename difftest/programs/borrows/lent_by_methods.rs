//! Patterns that borrow from what `as_slice`, `as_ref` and `as_deref` lend, with awaits while they are in
//! use.

#[derive(Debug, Clone, Copy, Serialize, Deserialize)]
enum Kind {
    Few,
    Many,
}

impl Kind {
    fn as_slice(self) -> &'static [i64] {
        match self {
            Kind::Few => &[1, 2],
            Kind::Many => &[1, 2, 3, 4],
        }
    }
}

#[workflow]
async fn program(n: i64) -> (String, i64) {
    let mut said = String::new();
    let found = words(&fetch("some words").await).await;
    match found.as_slice() {
        [] => said.push_str("none"),
        [only] => said = concat(only, only).await + only,
        [first, .., last] if n % 3 == 0 => said = concat(last, first).await + last,
        [first, rest @ ..] => {
            for word in rest {
                said.push_str(&concat(first, word).await);
            }
            said.push_str(&format!("{} {}", first, rest.len()));
        }
    }
    let name = find(n).await;
    if let Some(name) = name.as_deref() {
        said.push_str(&fetch(name).await);
        said.push_str(name);
    }
    let order = if n % 2 == 0 { Some(order(n).await) } else { None };
    let Some(Order { customer, lines, .. }) = order.as_ref() else {
        return (concat(&said, "no order").await, name.map_or(0, |name| name.len() as i64));
    };
    let mut sum = 0;
    for line in lines {
        sum += act(line.count).await + line.count;
    }
    said.push_str(&concat(&said, customer).await);
    let kind = if sum % 2 == 0 { Kind::Few } else { Kind::Many };
    match kind.as_slice() {
        [first, second] => sum += act(*first).await + second,
        all => sum += total(all).await + all.len() as i64,
    }
    (said + customer, sum + lines.len() as i64)
}
