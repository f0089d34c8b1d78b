//! What an operator makes of a number and a value of a type of the file ends with its scope.

use std::ops::Mul;

#[derive(Debug, Serialize, Deserialize)]
struct Money {
    cents: i64,
    name: Noisy,
}

impl Mul<i64> for Money {
    type Output = Money;

    fn mul(self, by: i64) -> Money {
        Money { cents: self.cents * by, name: Noisy::new("product") }
    }
}

#[workflow]
async fn program(n: i64) -> i64 {
    let price = Money { cents: n, name: Noisy::new("price") };
    let _total = price * 2;
    let plain = n * 2;
    if n % 2 == 0 {
        tick().await;
    }
    note("after");
    plain
}
