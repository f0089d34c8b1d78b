//! A key is used by value while what was looked up with it is needed.

#[derive(Serialize, Deserialize, Clone)]
struct Order { id: i64, n: i64, name: String }
#[workflow]
async fn program(n: i64) -> i64 {
    let map = BTreeMap::from([(7, n)]);
    let order = Order { id: 7, n, name: fetch("a").await };
    let found = map.get(&order.id).unwrap();
    let id = order.id;
    let name = order.name;
    tick().await;
    *found + order.n + act(order.id).await + name.len() as i64 + id
}
