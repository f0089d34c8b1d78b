//! Constants that are made again after an await: by value, borrowed, in parts, of modules, types and traits. One with a
//! `Cell` in it is used before the await.
use std::cell::Cell;
use std::marker::PhantomData;

const LIMITS: [i64; 2] = [3, 4];
const NAME: &str = "name";
const EMPTY: Option<Cell<i64>> = None;
const PAIR: (&str, i64) = ("pair", 2);
const TRIES: Cell<i64> = Cell::new(1);

mod plans {
    pub const LIST: [&str; 2] = ["a", "b"];
}

#[derive(Debug)]
struct Plan {
    limit: i64,
}

impl Plan {
    const BASIC: Plan = Plan { limit: 3 };
}

trait Limits {
    const MOST: i64;
    const LABEL: &'static str;
}

impl Limits for Plan {
    const MOST: i64 = 7;
    const LABEL: &'static str = "plan";
}

#[workflow]
async fn limited<T: Limits + Send + 'static>(n: i64, _of: PhantomData<T>) -> String {
    let most = T::MOST;
    let label = &T::LABEL;
    act(n + most).await;
    format!("{label} {most}")
}

#[workflow]
async fn program(n: i64) -> String {
    let limits = &LIMITS;
    let copied = LIMITS;
    let name = NAME;
    let empty = &EMPTY;
    let none = EMPTY;
    let text = PAIR.0;
    let list = &plans::LIST;
    let mixed = (&LIMITS, NAME);
    let first = plans::LIST[1];
    let basic = Plan::BASIC;
    let most = <Plan as Limits>::MOST;
    let label = Plan::LABEL;
    let tries = TRIES;
    tries.set(n);
    act(n + tries.get()).await;
    let of_type = limited(most, PhantomData::<Plan>).await;
    format!(
        "{limits:?} {copied:?} {name} {empty:?} {none:?} {text} {list:?} {mixed:?} {first} {} {most} {label} {of_type}",
        basic.limit,
    )
}
