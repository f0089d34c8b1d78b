//! Parameters may have any names: with underscores before a keyword, a number or the name of another one.

#[derive(Debug, Clone, Serialize, Deserialize)]
struct Account {
    cents: i64,
}

impl Account {
    #[workflow]
    async fn charged(self, _cents: i64, cents: i64, this: i64, _self: i64) -> i64 {
        let left = act(self.cents - cents).await;
        tick().await;
        left + this + _cents
    }
}

#[workflow]
async fn sum(_x: i64, x: i64, __x: i64, _1: i64, __: i64, _: i64, (_a, b): (i64, i64)) -> i64 {
    let first = act(x).await;
    first + _x * 10 + __x * 100 + _1 * 1000 + b
}

#[workflow]
async fn chosen(_type: i64, _ref: bool, r#match: i64) -> i64 {
    let asked = act(r#match).await;
    if _ref { asked } else { asked + _type }
}

#[workflow]
async fn program(n: i64) -> (i64, i64, i64) {
    let sum = sum(1, n, 2, 3, 4, 5, (6, 7)).await;
    let chosen = chosen(1, n > 2, n).await;
    (sum, chosen, Account { cents: n }.charged(1, 2, 3, 4).await)
}
