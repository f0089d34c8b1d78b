//! The generated code of `#[activity]` and `#[derive(Signal)]`, used as a worker uses it.

use std::collections::BTreeMap;
use std::fmt;
use std::path::Path;
use std::sync::Arc;
use std::time::Duration;

use piton::activities::{
    ActivityContext, ActivityEntry, ActivityInfo, ActivityReport, Dependencies,
};
use piton::codec;
use piton::machine::{
    Activity, ActivityError, OperationOutcome, Progress, Retryable, Signal, Standalone, StepError,
    TimeoutKind, Workflow, WorkflowCall,
};
use piton::model::{Handle, Payload, RetryPolicy, RunId, Timestamp};
use piton::{Signal, activity, workflow};
use serde::{Deserialize, Serialize};
use uuid::Uuid;

#[derive(Debug, PartialEq, Serialize, Deserialize)]
struct Receipt {
    order: String,
    cents: u64,
}

#[derive(Debug, PartialEq, Serialize, Deserialize)]
struct Declined {
    reason: String,
}

impl fmt::Display for Declined {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "declined: {}", self.reason)
    }
}

impl Retryable for Declined {
    fn is_retryable(&self) -> bool {
        false
    }
}

/// Charges a card.
#[activity(
    start_to_close = "30s",
    schedule_to_close = "1h 30m",
    retry(initial = "250ms", backoff = 1.5, max_interval = "1m", max_attempts = 5, jitter = 0.1)
)]
async fn charge(order: &str, cents: u64) -> Result<Receipt, Declined> {
    if cents > 1_000 {
        return Err(Declined { reason: "limit".into() });
    }
    Ok(Receipt { order: order.to_owned(), cents })
}

#[activity(name = "shop.stock")]
async fn stock(
    cx: &ActivityContext,
    skus: &[String],
    shelves: &BTreeMap<String, u32>,
    file: &Path,
    (low, mut high): (u32, u32),
) -> Vec<(String, u32)> {
    assert_eq!(cx.info().attempt, 2);
    assert_eq!(file, Path::new("stock.csv"));
    high += *cx.dependency::<u32>();
    let count = |sku: &String| shelves.get(sku).copied().unwrap_or(low).min(high);
    skus.iter().map(|sku| (sku.clone(), count(sku))).collect()
}

#[activity]
async fn page(
    collection: &str,
    cursor: Option<&str>,
    skus: Option<&[String]>,
    last: Option<&Receipt>,
    limit: Option<u32>,
) -> String {
    let skus = skus.map(|skus| skus.join("+"));
    let last = last.map(|receipt| receipt.cents);
    format!("{collection} {cursor:?} {skus:?} {last:?} {limit:?}")
}

#[activity]
async fn nothing() {}

#[derive(Debug, Serialize, Deserialize)]
enum Plain {
    Broken,
}

#[activity]
#[expect(clippy::needless_lifetimes, reason = "a lifetime of the function's own must work too")]
async fn broken<'a>(_text: &'a str) -> Result<(), Plain> {
    Err(Plain::Broken)
}

async fn attempt(name: &'static str, arguments: &impl Serialize) -> ActivityReport {
    let mut dependencies = Dependencies::default();
    dependencies.insert(5_u32);
    let info = ActivityInfo {
        run_id: RunId::from(Uuid::nil()),
        workflow_id: "order-42".into(),
        handle: Handle(3),
        name,
        attempt: 2,
    };
    let cx = ActivityContext::new(info, Arc::new(dependencies));
    let entry = ActivityEntry::find(name).expect("registered");
    assert_eq!(entry.place.0, file!(), "an error about a clash of names can name the place");
    let arguments = Payload::from_json(&serde_json::json!(arguments));
    entry.run(&cx, &arguments).await.expect("the report can be encoded")
}

fn decode<T: Serialize + serde::de::DeserializeOwned>(payload: &Payload) -> T {
    codec::from_payload(payload).expect("just encoded")
}

#[tokio::test]
async fn an_attempt_gets_the_arguments_of_the_call() {
    let report = attempt("charge", &("order-42", 900_u64)).await;
    let returned: Result<Receipt, Declined> = decode(&report.returned);
    assert_eq!(returned, Ok(Receipt { order: "order-42".into(), cents: 900 }));
    assert_eq!(report.error, None);

    let shelves = BTreeMap::from([("a".to_owned(), 50_u32)]);
    let arguments = (vec!["a", "b"], shelves, "stock.csv", (1_u32, 2_u32));
    let report = attempt("shop.stock", &arguments).await;
    let returned: Vec<(String, u32)> = decode(&report.returned);
    assert_eq!(returned, [("a".to_owned(), 7), ("b".to_owned(), 1)]);

    assert_eq!(attempt("nothing", &()).await.error, None);
}

#[tokio::test]
async fn what_may_be_missing_can_be_borrowed() {
    let receipt = Receipt { order: "order-42".into(), cents: 900 };
    let skus = vec!["a".to_owned(), "b".to_owned()];
    let arguments = ("orders", Some("c1"), Some(&skus), Some(&receipt), Some(7_u32));
    let report = attempt("page", &arguments).await;
    let expected = r#"orders Some("c1") Some("a+b") Some(900) Some(7)"#;
    assert_eq!(decode::<String>(&report.returned), expected);
    let nothing = ("orders", None::<String>, None::<Vec<String>>, None::<Receipt>, None::<u32>);
    let report = attempt("page", &nothing).await;
    assert_eq!(decode::<String>(&report.returned), "orders None None None None");
    drop(page("orders", Some("c1"), Some(&skus), Some(&receipt), None));
}

#[tokio::test]
async fn an_error_is_reported_with_its_own_word_on_retries() {
    let report = attempt("charge", &("order-42", 5_000_u64)).await;
    let error = report.error.expect("declined");
    assert_eq!(error.message, "declined: limit");
    assert!(!error.is_retryable);

    let error = attempt("broken", &("text",)).await.error.expect("broken");
    assert_eq!(error.message, "Broken");
    assert!(error.is_retryable);
}

#[tokio::test]
async fn the_body_can_be_called_in_a_test() {
    let receipt = charge::call("order-7", 1).await;
    assert_eq!(receipt.map(|receipt| receipt.cents), Ok(1));
}

#[test]
fn options_come_from_the_attribute() {
    assert_eq!(<charge as Activity>::NAME, "charge");
    let options = <charge as Activity>::OPTIONS;
    assert_eq!(options.start_to_close, Some(Duration::from_secs(30)));
    assert_eq!(options.schedule_to_close, Some(Duration::from_secs(5_400)));
    let retry = RetryPolicy {
        initial_interval: Duration::from_millis(250),
        backoff: 1.5,
        max_interval: Some(Duration::from_secs(60)),
        max_attempts: 5,
        jitter: 0.1,
    };
    assert_eq!(options.retry, retry);
    assert_eq!(<stock as Activity>::NAME, "shop.stock");
    assert_eq!(<stock as Activity>::OPTIONS.retry, RetryPolicy::DEFAULT);
    assert_eq!(<nothing as Activity>::OPTIONS.start_to_close, None);
}

type Charged = Result<Receipt, ActivityError<Declined>>;

#[workflow]
async fn charges() -> Charged {
    charge("order-42", 900).await
}

#[workflow]
async fn charges_beside() -> Charged {
    piton::join!(charge("order-42", 900)).0
}

#[workflow]
async fn does_nothing() {
    nothing().await;
}

/// Returns the output of the workflow if its only operation ends with this outcome.
fn ended<W: Workflow>(
    call: WorkflowCall<W>,
    outcome: OperationOutcome,
) -> Result<W::Return, StepError> {
    let mut machine = Standalone::start(call)?;
    let Progress::Waiting = machine.advance(Timestamp::MIN)? else { panic!("it waits") };
    let [(handle, _)] = machine.waiting_for()[..] else { panic!("for one thing") };
    machine.end(handle, outcome);
    match machine.advance(Timestamp::MIN)? {
        Progress::Returned(value) => Ok(value),
        Progress::Waiting => panic!("there is nothing else to wait for"),
    }
}

#[test]
fn a_failure_of_the_engine_is_an_error_or_ends_the_run() {
    let late = || OperationOutcome::TimedOut(TimeoutKind::StartToClose);
    let timed_out = || Err(ActivityError::TimedOut(TimeoutKind::StartToClose));
    assert_eq!(ended(charges(), late()).expect("the run continues"), timed_out());
    assert_eq!(ended(charges_beside(), late()).expect("the run continues"), timed_out());
    assert!(matches!(ended(does_nothing(), late()), Err(StepError::Failed(_))));
}

#[test]
fn the_workflow_gets_the_result_of_an_activity() {
    let receipt = Receipt { order: "order-42".into(), cents: 903 };
    let declined = Declined { reason: "limit".into() };
    let returned: <charge as Activity>::Return = Ok(receipt);
    let payload = |payload| OperationOutcome::Returned(payload);
    for (returned, json) in [
        (returned, serde_json::json!({ "Ok": { "order": "order-42", "cents": 903 } })),
        (Err(declined), serde_json::json!({ "Err": { "reason": "limit" } })),
    ] {
        let binary = || payload(codec::to_payload(&returned).expect("plain data"));
        let json = || payload(Payload::from_json(&json));
        let outcomes: [&dyn Fn() -> OperationOutcome; 2] = [&binary, &json];
        for outcome in outcomes {
            let expected = |seen: Charged| match (seen, &returned) {
                (Ok(seen), Ok(returned)) => assert_eq!(seen, *returned),
                (Err(ActivityError::Failed(seen)), Err(returned)) => assert_eq!(seen, *returned),
                (seen, returned) => panic!("{seen:?} of {returned:?}"),
            };
            expected(ended(charges(), outcome()).expect("it can be read"));
            expected(ended(charges_beside(), outcome()).expect("it can be read"));
        }
    }
    for damaged in [&[1][..], &[1, 2, 1], &[1, 1, 0, 0]] {
        let damaged = || payload(Payload(damaged.to_vec()));
        assert!(matches!(ended(charges(), damaged()), Err(StepError::Decode(_))));
        assert!(matches!(ended(charges_beside(), damaged()), Err(StepError::Decode(_))));
    }
}

#[test]
fn a_call_is_a_value_with_options() {
    let call = charge("order-42", 900).start_to_close(Duration::from_secs(1));
    assert_eq!(format!("{call:?}"), "ActivityCall { activity: \"charge\", .. }");
    drop((stock(&[], &BTreeMap::new(), Path::new("x"), (0, 0)), nothing(), broken("")));
}

#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
struct Shop {
    name: String,
}

impl Shop {
    const FEE: u64 = 3;

    /// Charges a card.
    #[activity(retry(max_attempts = 2))]
    async fn charge(order: &str, cents: u64) -> Result<Receipt, Declined> {
        if cents > 1_000 {
            return Err(Declined { reason: "limit".into() });
        }
        Ok(Receipt { order: order.to_owned(), cents: cents + Self::FEE })
    }

    #[activity]
    async fn rename(&self, cx: &ActivityContext, to: &str) -> Self {
        Self { name: format!("{} {to} {}", self.name, cx.info().attempt) }
    }

    #[activity(name = "shop.close", blocking)]
    fn close(mut self) -> String {
        self.name.push('!');
        self.name
    }
}

#[tokio::test]
async fn a_method_gets_self_with_its_arguments() {
    let report = attempt("Shop::charge", &("order-42", 900_u64)).await;
    let returned: Result<Receipt, Declined> = decode(&report.returned);
    assert_eq!(returned, Ok(Receipt { order: "order-42".into(), cents: 903 }));
    let report = attempt("Shop::charge", &("order-42", 9_000_u64)).await;
    assert_eq!(report.error.map(|error| error.message), Some("declined: limit".to_owned()));

    let shop = Shop { name: "corner".into() };
    let report = attempt("Shop::rename", &(&shop, "market")).await;
    assert_eq!(decode::<Shop>(&report.returned).name, "corner market 2");
    let report = attempt("shop.close", &(&shop,)).await;
    assert_eq!(decode::<String>(&report.returned), "corner!");

    let call = format!("{:?}", (Shop::charge("order-42", 1), shop.rename("x")));
    assert!(call.contains("Shop::charge") && call.contains("Shop::rename"), "{call}");
    assert_eq!(shop.clone().call_close(), "corner!");
    drop(shop.close());
}

#[derive(Signal, Serialize, Deserialize)]
struct Approve {
    _by: String,
}

#[derive(Signal, Serialize, Deserialize)]
#[signal(name = "order.withdrawn")]
enum Withdraw {
    _Now,
}

#[test]
fn signals_have_stored_names() {
    assert_eq!(Approve::NAME, "Approve");
    assert_eq!(Withdraw::NAME, "order.withdrawn");
}
