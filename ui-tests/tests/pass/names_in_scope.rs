//! Names of the crate that generated code could be taken to mean.

use std::collections::BTreeMap;

use piton::prelude::*;

/// Methods of every type, by value, so that they would come before those that borrow.
#[allow(clippy::wrong_self_convention)]
trait Everything: Sized {
    fn take(self) {}
    fn put(self) {}
    fn put_slot(self) {}
    fn step(self) {}
    fn load(self) {}
    fn fill(self) {}
    fn pass(self) {}
    fn start(self) {}
    fn begin(self) {}
    fn poll(self) {}
    fn cancel(self) {}
    fn is_none(self) {}
    fn is_some(self) {}
    fn keep(self) {}
    fn value(self) {}
    fn is_of(self) {}
    fn carried(self) {}
    fn unknown(self) {}
    fn untouched(self) {}
    fn held(&self) {}
    fn parts(&self) {}
    fn each(&self) {}
    fn text(&self) {}
    fn retry(&self) {}
    fn reported(&self) {}
    fn added_to(&self) {}
}

impl<T> Everything for T {}

macro_rules! constants {
    ($($name:ident)*) => {
        $(
            #[allow(non_upper_case_globals)]
            const $name: u8 = 1;
        )*
    };
}

constants! { returned error value call cx parked state halted done failed made given texts token slot hole part }

#[activity]
async fn find(name: &str, more: Option<&str>) -> Result<u64, String> {
    name.parse().map_err(|_| more.unwrap_or(name).to_owned())
}

#[activity(retry(non_retryable = [0]))]
async fn check(number: u64) -> Result<u64, u8> {
    number.checked_add(1).ok_or(0)
}

#[activity(blocking)]
fn count(name: &str) -> u64 {
    name.len() as u64
}

#[workflow]
async fn run(names: Vec<String>) -> piton::Result<u64> {
    let mut rows = BTreeMap::<String, Vec<u64>>::new();
    let (mut total, mut best) = (0, None);
    for name in &names {
        rows.entry(name.clone()).or_default().push(count(name).await);
        let list = rows.entry(name.clone()).or_default();
        total += count(name).await;
        list.push(total);
        match best {
            None => best = Some(count("ab").await),
            Some(ref known) if *known > 3 => total += known,
            Some(_) => {}
        }
        let tag = if total > 3 { name.as_str() } else { "none" };
        let (first, second) = join!(count(tag), async { count("a").await + 1 });
        let third = try_join!(find(tag, None), async { find("3", Some("b")).await });
        total += first + second + third.map_or(0, |(a, b)| a + b);
        total += select! {
            number = count("abc") => number,
            number = async { count("abcd").await }, if total > 3 => 1 + number,
        };
        total += tag.len() as u64;
    }
    for number in 1..=3 {
        total += check(number).await.unwrap_or(number);
    }
    let mut pair = (String::new(), vec![1_u64]);
    let list = pair.1;
    total += count("a").await;
    pair.1 = list;
    total += count("b").await;
    let rows = vec![("a", 1), ("b", 2)];
    count("c").await;
    Ok(total + rows.len() as u64 + pair.1.len() as u64)
}

#[workflow]
async fn fail(name: String) -> Result<u64, String> {
    let mut found = [count(&name).await, 1];
    found[0] += count(&name).await;
    found.first().copied().ok_or(name)
}
