use std::collections::BTreeMap;

use piton::prelude::*;
use serde::{Deserialize, Serialize};

use self::rules::{after as later, next};

#[activity]
async fn step(number: u64) -> u64 {
    number
}

#[deterministic]
fn twice(number: u64) -> u64 {
    number * 2
}

#[deterministic(allow(output))]
fn largest<T: Ord + Copy + Default>(list: &[T]) -> T {
    println!("{} numbers", list.len());
    list.iter().copied().max().unwrap_or_default()
}

mod rules {
    use piton::prelude::*;

    #[deterministic]
    pub(super) fn next(number: u64) -> u64 {
        number + 1
    }

    #[deterministic]
    pub(super) fn after(number: u64) -> u64 {
        number + 2
    }
}

#[derive(Clone, Debug, Serialize, Deserialize)]
struct Count(u64);

impl Count {
    fn new(number: u64) -> Self {
        Self(number)
    }

    #[deterministic]
    fn zero() -> Self {
        Self(0)
    }

    #[deterministic]
    fn get(&self) -> u64 {
        self.0
    }

    #[workflow(strict)]
    async fn raised(self, by: u64) -> Self {
        let raised = self.get() + twice(by);
        Self(step(raised).await)
    }
}

#[derive(Debug, Serialize, Deserialize)]
enum Size {
    Small(u64),
    Large { number: u64 },
}

macro_rules! sum {
    ($($number:expr),*) => { 0 $(+ $number)* };
}

#[workflow]
async fn inner(number: u64) -> u64 {
    step(number).await
}

/// Functions that are marked, by all their names.
#[workflow(strict)]
async fn functions(cx: &Context, numbers: Vec<u64>) -> Option<Count> {
    use rules::next as following;
    fn thrice(number: u64) -> u64 {
        number * 3
    }
    async fn twice_over(number: u64) -> u64 {
        step(twice(number)).await
    }
    let first = twice(step(1).await) + next(2) + rules::next(3) + following(4) + thrice(5);
    let second = later(largest(&numbers)) + largest::<u64>(&[1]) + self::twice(1);
    let all = join_all(numbers.into_iter().map(step)).await;
    let mapped: Vec<u64> = all.iter().copied().map(twice).map(u64::from).collect();
    drop(inner(first));
    cx.sleep(seconds(1)).await;
    let rest = inner(std::cmp::max(first, mapped.len() as u64)).await;
    Some(Count(rest + twice_over(second).await))
}

/// Methods, constructors and variants; macros; the standard library.
#[workflow(strict)]
async fn values(number: Option<u64>, (a, b): (u64, u64)) -> u64 {
    let count = Count::new(a).raised(b).await;
    let size = if count.get() > 2 { Size::Small(2) } else { Size::Large { number: 3 } };
    let sizes = [size, Size::Small(sum!(a, b))];
    let zero = Count::zero();
    let mut by_name: BTreeMap<String, u64> = BTreeMap::new();
    by_name.insert(String::from("a"), u64::from(3_u8));
    by_name.insert(format!("{a} {c}", c = b), <u64 as Default>::default());
    let counts: Vec<Count> = number.into_iter().map(Count).chain(Some(zero)).collect();
    assert!(matches!(number, Some(number) if number > 0) || sizes.len() == 2, "{}", counts.len());
    select! {
        number = step(1) => number,
        other = inner(b) => other + a,
    }
}

/// Closures and pointers to functions, which are locals.
#[workflow(strict)]
async fn locals(number: u64) -> u64 {
    let add = |a: u64, (b, c): (u64, u64)| a + b + c;
    let pointer: fn(u64) -> u64 = twice;
    let mut sum = add(number, (1, 2)) + pointer(3);
    for item in 0..3 {
        sum += pointer(item);
    }
    if let Some(item) = sum.checked_sub(1) {
        sum = twice(item);
    }
    match sum {
        0 => number,
        other => step(other).await,
    }
}
