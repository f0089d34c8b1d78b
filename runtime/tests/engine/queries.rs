//! Exposed variables: queries of them, validators, and watches.

use piton::client::inspect::Inspection;
use piton::error::{QueryError, SignalError, UpdateError};
use piton::prelude::*;
use serde::{Deserialize, Serialize};
use serde_json::{Value as Json, json};

use crate::rig::Rig;

#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
struct Cart {
    items: Vec<String>,
    cents: u64,
}

#[derive(Update, Serialize, Deserialize)]
#[update(reply = u64, error = Refused)]
struct AddItem {
    sku: String,
    cents: u64,
}

#[derive(Debug, PartialEq, Serialize, Deserialize)]
enum Refused {
    Worthless,
    Full,
}

impl std::fmt::Display for Refused {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        std::fmt::Debug::fmt(self, f)
    }
}

#[derive(Signal, Serialize, Deserialize)]
struct CheckOut {}

/// After the last await the code needs only the value of the cart, which it has computed before.
#[workflow]
async fn shop(cx: &Context, customer: String) -> u64 {
    cx.sleep(seconds(1)).await;
    #[expose]
    let mut cart = Cart::default();
    #[expose]
    #[redact]
    let name = format!("customer {customer}");
    loop {
        select! {
            add = cx.update::<AddItem>() => {
                cart.items.push(add.sku.clone());
                cart.cents += add.cents;
                add.reply(cart.cents);
            }
            _ = cx.signal::<CheckOut>() => break,
        }
    }
    let total = cart.cents;
    cx.sleep(hours(1)).await;
    total
}

/// Exposes variables that its branches change, and a variable of one branch.
#[workflow]
async fn branches(cx: &Context) -> u32 {
    #[expose]
    let mut count: u32 = 1;
    let (_, other) = join!(
        async {
            cx.sleep(seconds(1)).await;
            count += 1;
            cx.sleep(seconds(10)).await;
        },
        async {
            #[expose]
            let inner = vec![1, 2];
            cx.sleep(seconds(5)).await;
            7
        },
    );
    cx.sleep(hours(1)).await;
    other
}

#[query(shop)]
fn total(cart: &Cart, currency: &str, times: u64) -> String {
    format!("{} {currency}", cart.cents * times)
}

#[query(shop)]
fn who(name: &String) -> usize {
    name.len()
}

/// A type without a JSON form.
struct Opaque(u64);

#[query(shop)]
fn at_most(cart: &Cart, most: Option<u64>, skus: &[String], also: &Cart) -> bool {
    most.is_none_or(|most| cart.cents <= most) && skus == cart.items && also.items.is_empty()
}

#[query(shop)]
fn with_opaque(cart: &Cart, more: Opaque) -> u64 {
    cart.cents + more.0
}

#[query(shop)]
fn as_opaque(cart: &Cart) -> Opaque {
    Opaque(cart.cents)
}

#[query(shop)]
fn with_borrowed(cart: &Cart, skus: Option<&str>, more: impl Fn() -> u64 + Send + 'static) -> u64 {
    if skus.is_some() { cart.cents } else { more() }
}

/// A query with the name of another.
mod admin {
    use super::{Cart, shop};
    use piton::query;

    #[query(shop)]
    pub(super) fn total(cart: &Cart) -> u64 {
        cart.cents
    }
}

#[query(branches)]
fn both(count: &u32, inner: &Vec<u32>) -> u32 {
    count + inner.iter().sum::<u32>()
}

#[validator(shop)]
fn has_room(request: &AddItem, cart: &Cart) -> Result<(), Refused> {
    if request.cents == 0 {
        return Err(Refused::Worthless);
    }
    if cart.items.len() >= 3 { Err(Refused::Full) } else { Ok(()) }
}

fn item(sku: &str, cents: u64) -> AddItem {
    AddItem { sku: sku.to_owned(), cents }
}

fn variables(run: &Inspection) -> Vec<(&str, bool)> {
    let position = run.position.as_ref().unwrap();
    position.variables.iter().map(|variable| (&*variable.name, variable.exposed)).collect()
}

#[tokio::test(start_paused = true)]
async fn a_query_is_answered_without_a_worker() {
    let rig = Rig::new();
    let worker = rig.worker().start().await.unwrap();
    let run = rig.client.start(shop("ada".to_owned())).id("cart-1").await.unwrap();
    let early = run.query(total::args("EUR", 1)).await.unwrap_err();
    let QueryError::NotExposed { exposed, .. } = &early else { panic!("{early:?}") };
    assert!(exposed.is_empty());
    assert_eq!(run.update(item("pen", 120)).await.unwrap(), 120);
    rig.until_parked(&run).await;
    worker.shutdown().await.unwrap();
    // In another process, without a worker.
    let elsewhere = Client::new(rig.store.connect());
    let run = elsewhere.run::<shop>("cart-1").await.unwrap();
    assert_eq!(run.query(total::args("EUR", 2)).await.unwrap(), "240 EUR");
    assert_eq!(run.query(who::args()).await.unwrap(), "customer ada".len());
    assert_eq!(total(&Cart { items: Vec::new(), cents: 3 }, "USD", 1), "3 USD");
    let by_id = elsewhere.by_id("cart-1");
    let cart = json!({ "items": ["pen"], "cents": 120 });
    assert_eq!(by_id.variable("cart").await.unwrap(), cart);
    assert_eq!(by_id.variable("name").await.unwrap(), json!("(secret)"));
    let unknown = by_id.variable("total").await.unwrap_err();
    assert!(unknown.to_string().ends_with("exposed are: `cart`, `name`"), "{unknown}");
    let exposed = elsewhere.exposed("cart-1").await.unwrap();
    assert_eq!(exposed.read::<Cart>("cart").unwrap().cents, 120);
    let wrong = exposed.read::<Vec<u8>>("cart").unwrap_err();
    assert!(matches!(wrong, QueryError::Variable { .. }), "{wrong:?}");
    let shown = elsewhere.inspect("cart-1").await.unwrap();
    assert!(variables(&shown).contains(&("cart", true)), "{shown:?}");
}

#[tokio::test(start_paused = true)]
async fn a_query_is_called_by_its_name() {
    let rig = Rig::new();
    let worker = rig.worker().start().await.unwrap();
    let run = rig.client.start(shop("ada".to_owned())).id("cart-1").await.unwrap();
    run.update(item("pen", 120)).await.unwrap();
    let by_id = rig.client.by_id("cart-1");
    let currency = json!({ "currency": "EUR", "times": 2 });
    assert_eq!(by_id.query("queries::total", &currency).await.unwrap(), json!("240 EUR"));
    assert_eq!(by_id.query("admin::total", &Json::Null).await.unwrap(), json!(120));
    assert_eq!(run.query(admin::total::args()).await.unwrap(), 120);
    assert_eq!(by_id.query("who", &json!({})).await.unwrap(), json!("customer ada".len()));
    let arguments = json!({ "most": 120, "skus": ["pen"], "also": { "items": [], "cents": 0 } });
    assert_eq!(by_id.query("at_most", &arguments).await.unwrap(), json!(true));
    let arguments = json!({ "skus": ["ink"], "also": { "items": [], "cents": 0 } });
    assert_eq!(by_id.query("at_most", &arguments).await.unwrap(), json!(false));
    assert_eq!(run.query(with_opaque::args(Opaque(1))).await.unwrap(), 121);
    assert_eq!(run.query(as_opaque::args()).await.unwrap().0, 120);
    assert_eq!(run.query(with_borrowed::args(None, || 7)).await.unwrap(), 7);

    let refused = async |name: &str, arguments: &Json| {
        by_id.query(name, arguments).await.unwrap_err().to_string()
    };
    let known = by_id.query("total", &json!({})).await.unwrap_err();
    let QueryError::NoQuery { known, .. } = known else { panic!("{known:?}") };
    let total: Vec<_> = known.iter().filter(|path| path.ends_with("::total")).collect();
    assert_eq!(total, ["engine::queries::admin::total", "engine::queries::total"]);
    for (name, arguments, reason) in [
        ("otal", json!({}), "`otal` names no single query of the workflow `shop`"),
        ("both", json!({}), "`both` names no single query of the workflow `shop`"),
        ("who", json!({ "cart": 1 }), "the argument `cart` … the query takes no arguments"),
        ("who", json!([]), "the list of arguments … expected an object, or null"),
        ("queries::total", json!({ "currency": "EUR" }), "`times` … it is missing"),
        ("queries::total", json!({ "currency": 1, "times": 2 }), "`currency` … expected a string"),
        ("queries::total", json!({ "time": 2 }), "`time` … the query takes `currency`, `times`"),
        ("with_opaque", json!({ "more": 1 }), "`more` … does not implement `Deserialize`"),
        ("as_opaque", json!(null), "the answer … does not implement `Serialize`"),
        ("with_borrowed", json!({}), "`skus` … its type is borrowed or has no name"),
    ] {
        let refused = refused(name, &arguments).await;
        assert!(reason.split(" … ").all(|part| refused.contains(part)), "{name}: {refused}");
    }
    worker.shutdown().await.unwrap();
}

#[tokio::test(start_paused = true)]
async fn exposed_variables_are_kept_to_the_end() {
    let rig = Rig::new();
    let worker = rig.worker().start().await.unwrap();
    let run = rig.client.start(shop("ada".to_owned())).await.unwrap();
    run.update(item("pen", 120)).await.unwrap();
    run.signal(CheckOut {}).await.unwrap();
    // The code does not need it any more, but queries may.
    rig.until(&run, |record| record.state == "sleep#2").await;
    assert_eq!(run.query(total::args("EUR", 1)).await.unwrap(), "120 EUR");
    assert_eq!(run.result().await.unwrap(), 120);
    // The run has closed.
    assert_eq!(run.query(total::args("EUR", 1)).await.unwrap(), "120 EUR");
    let shown = rig.client.inspect(run.run_id()).await.unwrap();
    assert!(variables(&shown).contains(&("cart", true)), "{shown:?}");
    assert!(shown.position.unwrap().waits.is_empty());
    let terminated = rig.client.start(shop("bob".to_owned())).await.unwrap();
    terminated.update(item("ink", 7)).await.unwrap();
    terminated.terminate("enough").await.unwrap();
    assert_eq!(terminated.query(total::args("EUR", 1)).await.unwrap(), "7 EUR");
    worker.shutdown().await.unwrap();
}

#[tokio::test(start_paused = true)]
async fn branches_change_and_have_exposed_variables() {
    let rig = Rig::new();
    let worker = rig.worker().start().await.unwrap();
    let run = rig.client.start(branches()).await.unwrap();
    tokio::time::sleep(seconds(2)).await;
    assert_eq!(run.query(both::args()).await.unwrap(), 5);
    tokio::time::sleep(seconds(5)).await;
    // The block with the other variable has ended.
    let run = rig.client.by_id(run.run_id());
    assert_eq!(run.variables().await.unwrap(), *json!({ "count": 2 }).as_object().unwrap());
    assert_eq!(run.result().await.unwrap(), json!(7));
    worker.shutdown().await.unwrap();
}

#[tokio::test(start_paused = true)]
async fn a_validator_looks_before_anything_is_written() {
    let rig = Rig::new();
    let worker = rig.worker().start().await.unwrap();
    let run = rig.client.start(shop("ada".to_owned())).await.unwrap();
    // The run has no cart yet, so the validator does not run.
    let unseen = run.update(item("air", 0)).await.unwrap();
    assert_eq!(unseen, 0);
    let arrivals = rig.store.counts().arrivals;
    let refused = run.update(item("air", 0)).await.unwrap_err();
    assert!(matches!(refused, UpdateError::Refused(Refused::Worthless)), "{refused:?}");
    assert_eq!(rig.store.counts().arrivals, arrivals);
    run.update(item("pen", 1)).await.unwrap();
    assert_eq!(run.update(item("ink", 1)).id("ink").await.unwrap(), 2);
    let refused = rig.client.by_id(run.run_id());
    let full = json!({ "sku": "cap", "cents": 5 });
    let refused = refused.update("AddItem", &full).await.unwrap_err();
    assert!(matches!(&refused, UpdateError::Refused(error) if *error == json!("Full")));
    // An accepted update is not validated again.
    assert_eq!(run.update(item("ink", 1)).id("ink").await.unwrap(), 2);
    worker.shutdown().await.unwrap();
}

#[tokio::test(start_paused = true)]
async fn a_watch_gives_each_change() {
    let rig = Rig::new();
    let worker = rig.worker().start().await.unwrap();
    let run = rig.client.start(shop("ada".to_owned())).id("cart-1").await.unwrap();
    // One with the notifications of this process, and one without.
    let elsewhere = Client::new(rig.store.connect());
    for client in [&rig.client, &elsewhere] {
        let mut watch = client.watch("cart-1").await.unwrap();
        let first = watch.next().await.unwrap().unwrap();
        let before = first.run.step_no;
        let next = tokio::spawn(async move {
            loop {
                let seen = watch.next().await.unwrap().unwrap();
                if seen.variables.contains_key("cart") && seen.run.step_no > before {
                    break (watch, seen);
                }
            }
        });
        run.update(item("pen", 10)).await.unwrap();
        let (mut watch, seen) = next.await.unwrap();
        assert!(seen.variables["cart"]["cents"].as_u64() > Some(0), "{seen:?}");
        assert_eq!(seen.run.status, RunStatus::Running);
        // Nothing changes, so the watch reports nothing.
        let quiet = tokio::time::timeout(hours(1), watch.next()).await;
        assert!(quiet.is_err());
    }
    let mut watch = elsewhere.by_id("cart-1").watch().await.unwrap();
    watch.next().await.unwrap().unwrap();
    run.terminate("enough").await.unwrap();
    let last = watch.next().await.unwrap().unwrap();
    assert_eq!(last.run.status, RunStatus::Terminated);
    assert_eq!(last.variables["cart"]["cents"], json!(20));
    assert!(watch.next().await.unwrap().is_none());
    worker.shutdown().await.unwrap();
}

#[tokio::test(start_paused = true)]
async fn a_run_is_acted_on_by_its_id() {
    let rig = Rig::new();
    let worker = rig.worker().start().await.unwrap();
    let run = rig.client.start(shop("ada".to_owned())).id("cart-1").await.unwrap();
    run.update(item("pen", 10)).await.unwrap();
    // In a program without the workflow it would be the same.
    let by_id = rig.client.by_id("cart-1");
    let refused = by_id.signal("CheckUot", &json!({})).await.unwrap_err();
    let SignalError::NotAwaited { awaited, .. } = &refused else { panic!("{refused:?}") };
    assert_eq!(*awaited, ["CheckOut"]);
    by_id.signal("CheckOut", &json!({})).dedup_key("once").await.unwrap();
    assert_eq!(by_id.result().await.unwrap(), json!(10));
    let cancelled = rig.client.start(shop("bob".to_owned())).id("cart-2").await.unwrap();
    rig.client.by_id("cart-2").cancel("no time").await.unwrap();
    let result = rig.client.by_id(cancelled.run_id()).result().await.unwrap_err();
    assert!(matches!(&result, RunError::Cancelled { reason } if reason == "no time"));
    rig.client.start(shop("eve".to_owned())).id("cart-3").await.unwrap();
    assert!(rig.client.by_id("cart-3").terminate("enough").await.unwrap());
    assert_eq!(rig.client.by_id("cart-3").status().await.unwrap().status, RunStatus::Terminated);
    assert!(rig.client.by_id("nobody").status().await.is_err());
    let nobody = rig.client.by_id("nobody").signal("CheckOut", &json!({})).await.unwrap_err();
    assert!(matches!(nobody, SignalError::NoRun(_)), "{nobody:?}");
    worker.shutdown().await.unwrap();
}
