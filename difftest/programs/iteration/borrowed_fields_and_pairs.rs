//! `for` over fields of a local: pairs of a map, numbered items, and a pattern that takes apart.

#[derive(Clone, Serialize, Deserialize)]
struct Line {
    name: String,
    count: i64,
}

#[derive(Clone, Serialize, Deserialize)]
struct Cart {
    prices: BTreeMap<String, i64>,
    lines: Vec<Line>,
}

#[workflow]
async fn program(n: i64) -> String {
    let cart = Cart {
        prices: BTreeMap::from([("x".to_owned(), n), ("y".to_owned(), 3)]),
        lines: vec![Line { name: fetch("x").await, count: 2 }, Line { name: "y".to_owned(), count: n }],
    };
    let mut out = Vec::new();
    for (name, price) in &cart.prices {
        let price_now = add(*price, 1).await;
        out.push(format!("{name}: {price} {price_now}"));
    }
    for (index, Line { name, count }) in cart.lines.iter().enumerate().rev() {
        if act(*count).await > 1 {
            out.push(format!("{index} {name} {count}"));
        }
        let names = &cart.prices;
        for key in names.keys().skip(1) {
            out.push(concat(key, name).await);
        }
    }
    for &Line { count, .. } in cart.lines.iter().take(1) {
        tick().await;
        out.push(count.to_string());
    }
    out.join(",")
}
