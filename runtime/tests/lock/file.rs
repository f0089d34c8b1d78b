//! The lock file: its content, writing it, and removing entries.

use std::fs;

use piton::client::DefinitionInUse;
use piton::lock::{Lock, Mode, run_as};
use piton::machine::Workflow as _;
use piton::prelude::*;
use serde::{Deserialize, Serialize};

use crate::build::{Go, Shop, charge, released};

#[derive(Serialize, Deserialize)]
struct Order {
    id: String,
    cents: u64,
}

#[workflow]
async fn pay(cx: &Context, order: Order) -> u64 {
    charge(order.cents).await;
    let go = cx.signal::<Go>().await;
    go.0 + order.id.len() as u64
}

#[workflow]
async fn outer(cx: &Context, id: String) -> u64 {
    pay(Order { id, cents: 3 }).await
}

mod later {
    use super::*;

    #[workflow]
    pub async fn pay(cx: &Context, order: Order) -> u64 {
        cx.sleep(seconds(1)).await;
        charge(order.cents).await;
        let go = cx.signal::<Go>().await;
        go.0 + order.id.len() as u64
    }

    #[workflow]
    pub async fn outer(cx: &Context, id: String) -> u64 {
        pay(Order { id, cents: 4 }).await
    }
}

#[test]
fn it_reads_back_and_has_a_line_for_each_state_local_and_schema() {
    let text = released(&[outer::entry()]);
    let lock = Lock::parse(&text).unwrap();
    let names: Vec<_> = lock.definitions().iter().map(|definition| &*definition.workflow).collect();
    // The file includes the awaited workflow.
    assert_eq!(names, ["outer", "pay"]);
    assert_eq!(lock.to_string(), text);
    let lines: Vec<_> = text.lines().map(str::trim_start).collect();
    let count = |start: &str| lines.iter().filter(|line| line.starts_with(start)).count();
    let states: usize = lock.definitions().iter().map(|definition| definition.states.len()).sum();
    assert_eq!(count("{\"name\":\"start\""), 2);
    assert_eq!(count("{\"name\":\"charge\",\"kind\":\"call\""), 1);
    let all_locals = lock.definitions().iter().flat_map(|definition| &definition.states);
    let locals: usize = all_locals.map(|state| state.locals.len()).sum();
    assert_eq!(count("{\"name\":"), states + locals, "{text}");
    let schemas: std::collections::BTreeSet<_> =
        lock.definitions().iter().flat_map(|definition| definition.schemas.keys()).collect();
    let of_schemas = lines.iter().filter(|line| line.contains("\"type_name\"")).count();
    assert_eq!(of_schemas, schemas.len(), "{text}");
    assert!(lines.iter().all(|line| line.matches("\"type_name\"").count() <= 1));
}

#[test]
fn a_text_that_is_no_lock_file_is_refused() {
    let error = |text: &str| Lock::parse(text).expect_err("it is none").to_string();
    assert!(error("<<<<<<< HEAD").starts_with("`piton.lock` cannot be read: expected value"));
    let newer = released(&[pay::entry()]).replacen("\"piton_lock\": 1", "\"piton_lock\": 2", 1);
    assert!(error(&newer).contains("it is of the format 2"));
    let cut = released(&[pay::entry()]);
    let at = cut.find("\"schemas\": {").unwrap();
    let cut = format!("{}\"schemas\": {{}}}}", &cut[..at]);
    assert!(error(&cut).contains("it names the schema"), "{}", error(&cut));
}

#[test]
fn the_test_makes_the_file_and_then_compares_with_it() {
    let directory = tempfile::tempdir().unwrap();
    let path = directory.path().join("piton.lock");
    let run = |mode, workflow| run_as(mode, directory.path(), [workflow]);
    let missing = run(Mode::Check, pay::entry()).expect_err("there is no file");
    assert!(missing.starts_with("error: there is no `piton.lock`\n  --> "), "{missing}");
    assert!(missing.contains("PITON_LOCK=accept cargo test piton_lock"), "{missing}");
    assert!(!path.exists());

    assert_eq!(run(Mode::Accept, pay::entry()), Ok(String::new()));
    let first = fs::read_to_string(&path).unwrap();
    assert_eq!(first, released(&[pay::entry()]));
    assert_eq!(run(Mode::Check, pay::entry()), Ok(String::new()));
    assert_eq!(run(Mode::Locked, pay::entry()), Ok(String::new()));

    // The definition fits, but is not in the file.
    let said = run(Mode::Check, later::pay::entry()).expect("it fits");
    assert!(said.starts_with("note: not in `piton.lock`"), "{said}");
    assert!(run(Mode::Locked, later::pay::entry()).is_err());
    assert_eq!(fs::read_to_string(&path).unwrap(), first);
    assert_eq!(run(Mode::Accept, later::pay::entry()), Ok(String::new()));
    let second = fs::read_to_string(&path).unwrap();
    assert_eq!(Lock::parse(&second).unwrap().definitions().len(), 2);
    // An existing entry is not added again.
    assert_eq!(run(Mode::Accept, later::pay::entry()), Ok(String::new()));
    assert_eq!(fs::read_to_string(&path).unwrap(), second);
    // Adding the entry removes no other entry.
    let kept = |line: &&str| line.contains("\"name\":");
    assert!(first.lines().filter(kept).all(|line| second.contains(line.trim_end_matches(','))));

    fs::write(&path, "no lock").unwrap();
    let broken = run(Mode::Accept, pay::entry()).expect_err("it is not overwritten");
    assert!(broken.contains("restore it from version control"), "{broken}");
    assert_eq!(fs::read_to_string(&path).unwrap(), "no lock");
}

async fn in_use(shop: &Shop) -> Vec<DefinitionInUse> {
    let mut all = shop.client.definitions_in_use("outer").await.unwrap();
    all.extend(shop.client.definitions_in_use("pay").await.unwrap());
    all
}

#[tokio::test(start_paused = true)]
async fn unused_definitions_are_retired() {
    let mut lock = Lock::default();
    lock.record([outer::entry()]);
    lock.record([later::outer::entry()]);
    // The outer workflow is the same in both: it awaits a workflow of the same name.
    assert_eq!(lock.definitions().len(), 3);
    let shop = Shop::new();
    let run = shop.client.start(outer("id".to_owned())).await.unwrap();
    shop.park(&run, &[outer::entry(), pay::entry()], "pay").await;
    // The run belongs to `outer`, and contains a state of `pay`.
    let now = || [later::outer::entry()];
    assert_eq!(lock.clone().retire(now(), &in_use(&shop).await), []);
    let worker = shop.worker(&[later::outer::entry(), later::pay::entry()]).await;
    run.signal(Go(1)).await.unwrap();
    assert_eq!(run.result().await.unwrap(), 3);
    worker.shutdown().await.unwrap();
    let retired = lock.retire(now(), &in_use(&shop).await);
    let [retired] = &retired[..] else { panic!("not one is retired: {retired:?}") };
    assert_eq!((&*retired.workflow, retired.hash), ("pay", pay::entry().definition().hash));
    assert_eq!(lock.definitions().len(), 2);
}
