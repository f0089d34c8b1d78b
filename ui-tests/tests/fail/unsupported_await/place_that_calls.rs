use piton::prelude::*;
use std::ops::AddAssign;

#[derive(Clone, Copy, serde::Serialize, serde::Deserialize)]
struct Money(u64);

impl AddAssign for Money {
    fn add_assign(&mut self, other: Money) {
        self.0 += other.0;
    }
}

#[activity]
async fn price(number: u64) -> Money {
    Money(number)
}

#[activity]
async fn name(number: u64) -> String {
    number.to_string()
}

fn place(sums: &[Money]) -> usize {
    sums.len() - 1
}

#[workflow]
async fn run() -> String {
    let mut sums = vec![Money(1), Money(2)];
    sums[place(&[])] += price(1).await;
    sums[price(2).await.0 as usize] += price(3).await;
    sums[price(4).await.0 as usize] += sums[place(&sums)];
    sums[price(5).await.0 as usize] += Money(6);
    let mut names = vec![name(1).await];
    names[place(&sums)] += name(2).await.as_str();
    names.concat()
}

fn main() {}
