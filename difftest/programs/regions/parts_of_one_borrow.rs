//! Branches change each a part of what a pattern has borrowed.

#[derive(Serialize, Deserialize, Debug, Clone)]
struct Cart {
    items: Vec<i64>,
    total: i64,
    owner: Owner,
}
#[derive(Serialize, Deserialize, Debug, Clone)]
struct Owner(String, i64);
#[workflow]
async fn program(n: i64) -> String {
    let mut cart = Cart { items: vec![n], total: 0, owner: Owner("a".to_string(), 1) };
    let (items, total) = (&mut cart.items, &mut cart.total);
    let Owner(name, age) = &mut cart.owner;
    join!(async { *total += act(n).await }, async { items.push(act(2).await) }, async {
        name.push_str(&fetch("b").await);
        *age += 1;
    });
    *total += items.len() as i64;
    tick().await;
    *age += 1;
    name.push('x');
    format!("{cart:?}")
}
