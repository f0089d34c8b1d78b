use std::collections::BTreeMap;
use std::fmt::Display;
use std::marker::PhantomData;

use piton::machine::{Progress, Standalone};
use piton::model::Timestamp;
use piton::prelude::*;
use serde::de::DeserializeOwned;
use serde::{Deserialize, Serialize};

#[activity]
async fn step(number: u64) -> u64 {
    number
}

/// Bounds as serde has them, a constant, and a `where` clause.
#[workflow]
pub async fn relay<T, const TIMES: usize>(
    value: T,
    names: BTreeMap<String, T>,
) -> Result<Vec<T>, String>
where
    T: Serialize + DeserializeOwned + Clone,
    Vec<T>: PartialEq,
{
    let mut all = Vec::new();
    for number in 0..TIMES {
        step(number as u64).await;
        all.push(value.clone());
    }
    Ok(all.into_iter().chain(names.into_values()).collect())
}

/// A parameter whose values are not stored needs no bounds of ours.
trait Tariff {
    const CENTS: u64;
}

#[derive(Serialize, Deserialize)]
struct Marker<T>(PhantomData<T>);

#[workflow(strict, allow(repeated_state))]
async fn price<T: Tariff>(count: u64, _of: Marker<T>) -> u64 {
    let price = step(T::CENTS).await;
    step(price * count).await
}

struct Cheap;

impl Tariff for Cheap {
    const CENTS: u64 = 3;
}

/// Generic workflows await each other, and closures and methods use the parameters.
#[workflow(strict)]
async fn show<T: Durable + Display>(values: (T, Option<T>)) -> String {
    let first = [&values.0].map(|value: &T| value.to_string()).concat();
    let call = keep(values.1);
    match call.await {
        Some(second) => format!("{first} {second}"),
        None => first,
    }
}

#[workflow]
async fn keep<T>(value: T) -> T
where
    T: Durable,
{
    step(1).await;
    value
}

register!(relay::<u8, 2>);
register!(relay::<BTreeMap<String, crate::generics::Marker2>, 1>, name = "relay of maps");
register!(price::<Cheap>);

#[derive(Clone, PartialEq, Serialize, Deserialize)]
struct Marker2;

pub(crate) fn run<W: piton::machine::Workflow>(call: piton::machine::WorkflowCall<W>) -> W::Return {
    let mut run = Standalone::start(call).unwrap();
    loop {
        if let Progress::Returned(value) = run.advance(Timestamp::now()).unwrap() {
            return value;
        }
        for (handle, _) in run.waiting_for() {
            run.reply(handle, &7_u64).unwrap();
        }
        run = Standalone::load(&run.save().unwrap()).unwrap();
    }
}

#[test]
fn instances_are_workflows_of_their_own() {
    let names = BTreeMap::from([("a".to_owned(), 5)]);
    assert_eq!(run(relay::<u8, 2>(4, names)), Ok(vec![4, 4, 5]));
    assert_eq!(run(relay::<String, 1>("x".into(), BTreeMap::new())), Ok(vec!["x".into()]));
    assert_eq!(run(price::<Cheap>(2, Marker(PhantomData))), 7);
    assert_eq!(run(show((1, Some(2)))), "1 2");
    assert_eq!(run(show(("one".to_owned(), None))), "one");
    assert_eq!(relay::<u8, 2>::GRAPH, relay::<String, 1>::GRAPH);
}

#[test]
fn instances_are_registered_by_name() {
    use piton::machine::WorkflowEntry;
    for name in ["relay<u8, 2>", "relay of maps", "price<Cheap>"] {
        assert!(WorkflowEntry::find(name).is_some(), "{name}");
    }
    assert!(WorkflowEntry::find("relay").is_none());
}
