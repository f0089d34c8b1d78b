//! Ledgers that are generic over a rate with an associated type and constant.

use serde::de::DeserializeOwned;
use std::collections::{BTreeMap, VecDeque};
trait Rate: Clone {
    const NAME: &'static str;
    type Unit: Copy + std::fmt::Debug + Into<i64>;
    fn rate(&self, at: Self::Unit) -> i64;
    fn unit(&self) -> Self::Unit;
    fn last(&self) -> i64 {
        7
    }
}
#[derive(Clone, Debug, Serialize, Deserialize, PartialEq)]
struct Flat(i32);
#[derive(Clone, Debug, Serialize, Deserialize, PartialEq)]
struct Tiered {
    steps: Vec<(i64, i64)>,
    base: i64,
}
impl Rate for Flat {
    const NAME: &'static str = "flat";
    type Unit = i32;
    fn rate(&self, at: i32) -> i64 {
        i64::from(self.0) * i64::from(at)
    }
    fn unit(&self) -> i32 {
        2
    }
}
impl Rate for Tiered {
    const NAME: &'static str = "tiered";
    type Unit = i64;
    fn rate(&self, at: i64) -> i64 {
        self.steps.iter().find(|(from, _)| at >= *from).map_or(self.base, |&(_, r)| r)
    }
    fn unit(&self) -> i64 {
        12
    }
}
#[derive(Debug, Serialize, Deserialize)]
struct Ledger<R> {
    rate: R,
    entries: VecDeque<i64>,
    notes: BTreeMap<i64, String>,
}
impl<R: Rate + Serialize + DeserializeOwned + 'static> Ledger<R> {
    fn new(rate: R) -> Self {
        Self { rate, entries: VecDeque::new(), notes: BTreeMap::new() }
    }
    #[workflow]
    async fn post(mut self, amount: i64) -> Self
    where
        R: PartialEq,
    {
        let unit = self.rate.unit();
        let charged = self.rate.rate(unit) + amount;
        self.entries.push_back(add(charged, unit.into()).await);
        let count = self.entries.len() as i64;
        if let Some(front) = self.entries.front_mut()
            && count > 2
        {
            *front += act(*front).await;
        }
        let text = match self.rate.last() {
            7 => R::NAME.to_string(),
            other => format!("{other}"),
        };
        self.notes.insert(count, fetch(&text).await);
        self
    }
    #[workflow]
    async fn sum_up(self) -> (i64, String) {
        let Self { entries, notes, rate } = self;
        let mut sum = 0;
        for e in &entries {
            sum = add(sum, *e).await;
        }
        let mut names = notes.into_values().collect::<Vec<_>>();
        names.dedup();
        let mut text = String::with_capacity(16);
        while let Some(name) = names.pop() {
            if names.is_empty() { text = name } else { text = concat(&text, &name).await }
        }
        (sum + rate.rate(rate.unit()), text)
    }
}
#[workflow]
async fn all_of<T>(items: Vec<T>, times: usize) -> Vec<(T, i64)>
where
    T: Clone + Into<i64> + Serialize + DeserializeOwned + 'static,
{
    let mut out: Vec<(T, i64)> = Vec::new();
    for item in items.iter().cloned().cycle().take(items.len() * times) {
        let value = act(item.clone().into()).await;
        match out.binary_search_by_key(&value, |(_, v)| *v) {
            Ok(_) => tick().await,
            Err(at) => out.insert(at, (item, value)),
        }
    }
    out
}
#[workflow]
async fn program(n: i64) -> (Vec<i64>, Vec<String>) {
    let mut flat = Ledger::new(Flat(3));
    let mut tiered = Ledger::new(Tiered { steps: vec![(20, 1), (10, 5)], base: n });
    for i in 0..3 {
        flat = flat.post(i).await;
        if i % 2 == 0 {
            tiered = tiered.post(i * n).await;
        }
    }
    let ((a, x), (b, y)) = join!(flat.sum_up(), tiered.sum_up());
    let more = all_of(vec![1_i32, n as i32, 5], 2).await;
    let most = more.iter().map(|&(_, v)| v).max().unwrap_or_default();
    (vec![a, b, most], vec![x, y, format!("{more:?}")])
}
