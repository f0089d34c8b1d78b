//! Runs that are over, their answers to updates, and runs that are blocked or fail later.

use std::fmt;
use std::time::Duration;

use libtest_mimic::Failed;
use piton::client::Client;
use piton::error::{RunError, UpdateError};
use piton::model::BlockedReason;
use piton::prelude::*;
use piton::store::{ArrivalKind, DeadLetterFilter, DeadLetterReason};
use serde::{Deserialize, Serialize};
use serde_json::json;

use crate::parked::{until_blocked, until_parked};
use crate::shop::Go;

#[derive(Debug, PartialEq, Serialize, Deserialize)]
struct Refusal {
    code: u16,
    why: String,
}

impl fmt::Display for Refusal {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{} {}", self.code, self.why)
    }
}

impl std::error::Error for Refusal {}

#[derive(Debug, PartialEq, Serialize, Deserialize)]
struct Receipt {
    number: u32,
    lines: Vec<(String, Option<u8>)>,
}

#[derive(Update, Serialize, Deserialize)]
#[update(reply = Receipt, error = Refusal)]
struct Pay {
    cents: u64,
}

fn refusal() -> Refusal {
    Refusal { code: 402, why: "no money".to_owned() }
}

fn receipt() -> Receipt {
    Receipt { number: 7, lines: vec![("nail".to_owned(), Some(3)), ("rope".to_owned(), None)] }
}

/// Answers one update, refuses another one, and drops a third.
#[workflow]
async fn takes_payments(cx: &Context) -> Result<u64, Refusal> {
    #[expose]
    let mut sum = 0;
    let first = cx.update::<Pay>().await;
    sum += first.cents;
    first.reply(receipt());
    cx.update::<Pay>().await.refuse(refusal());
    drop(cx.update::<Pay>().await);
    let go = cx.signal::<Go>().await;
    if go.by == "nobody" { Err(refusal()) } else { Ok(sum) }
}

/// Panics if nobody has sent the signal.
#[workflow]
async fn is_picky(cx: &Context) -> String {
    let go = cx.signal::<Go>().await;
    assert!(go.by != "nobody", "nobody has sent it");
    go.by
}

fn go(by: &str) -> Go {
    Go { by: by.to_owned() }
}

pub(crate) async fn park_runs(client: &Client) -> Result<(), Failed> {
    for (id, by) in [("paid", "Ann"), ("unpaid", "nobody")] {
        let run = client.start(takes_payments()).id(id).await?;
        for (number, cents) in [(1, 500), (2, 600), (3, 700)] {
            drop(run.update(Pay { cents }).id(format!("pay {number}")).accepted().await?);
        }
        run.signal(go(by)).await?;
        assert_eq!(run.result().await.is_ok(), by == "Ann");
    }
    let run = client.start(is_picky()).id("cancelled").await?;
    run.cancel("not needed").await?;
    assert!(run.result().await.is_err());
    let run = client.start(is_picky()).id("terminated").await?;
    run.terminate("enough").await?;
    let run = client.start(is_picky()).id("late").run_timeout(Duration::from_millis(10)).await?;
    assert!(run.result().await.is_err());
    for id in ["blocked", "set aside"] {
        let run = client.start(is_picky()).id(id).await?;
        run.signal(go("nobody")).await?;
        until_blocked(client, id).await?;
    }
    let run = client.run::<is_picky>("set aside").await?;
    assert!(run.set_aside(1).by("Ann").because("a bad name").await?);
    until_parked(client, "set aside", "signal<Go>").await
}

pub(crate) async fn finish_runs(client: &Client) -> Result<(), Failed> {
    for (id, result) in [("paid", Ok(500)), ("unpaid", Err(refusal()))] {
        let run = client.run::<takes_payments>(id).await?;
        match (run.result().await, result) {
            (Ok(sum), Ok(wanted)) => assert_eq!(sum, wanted),
            (Err(RunError::Failed(error)), Err(wanted)) => assert_eq!(error, wanted),
            (result, _) => panic!("{id}: {result:?}"),
        }
        assert_eq!(run.update_by_id::<Pay>("pay 1").reply().await?, receipt());
        let refused = run.update_by_id::<Pay>("pay 2").reply().await;
        assert!(matches!(refused, Err(UpdateError::Refused(error)) if error == refusal()));
        let dropped = run.update_by_id::<Pay>("pay 3").reply().await;
        assert!(matches!(dropped, Err(UpdateError::Dropped { .. })), "{dropped:?}");
        assert_eq!(run.exposed().await?.read::<u64>("sum")?, 500);
    }
    let result = async |id| Ok::<_, Failed>(client.run::<is_picky>(id).await?.result().await);
    let cancelled = result("cancelled").await?;
    assert!(matches!(cancelled, Err(RunError::Cancelled { reason }) if reason == "not needed"));
    let terminated = result("terminated").await?;
    assert!(matches!(terminated, Err(RunError::Terminated { reason }) if reason == "enough"));
    assert!(matches!(result("late").await?, Err(RunError::TimedOut { .. })));

    let run = client.run::<is_picky>("blocked").await?;
    let blocked = run.status().await?.blocked;
    let Some(BlockedReason::Panicked(why)) = blocked else { panic!("{blocked:?}") };
    assert!(why.contains("nobody has sent it"), "{why}");
    run.set_aside(1).by("Ann").because("a bad name").await?;
    run.signal(go("Ben")).await?;
    assert_eq!(run.result().await?, "Ben");

    let run = client.run::<is_picky>("set aside").await?;
    let filter = DeadLetterFilter { run_id: Some(run.run_id()), workflow_id: None };
    let letters = client.dead_letters(&filter, 10).await?;
    let [letter] = &letters[..] else { panic!("{letters:?}") };
    assert!(
        matches!(&letter.reason, DeadLetterReason::Unreadable(why) if why.contains("a bad name"))
    );
    assert!(matches!(&letter.arrival, ArrivalKind::Signal { name, .. } if name == "Go"));
    assert_eq!(client.dead_letter_json(letter).await?, json!({ "by": "nobody" }));
    let audit = client.audit(run.run_id(), 10).await?;
    assert_eq!((&*audit[0].entry.who, &*audit[0].entry.action), ("Ann", "set_aside"));
    run.signal(go("Ben")).await?;
    assert_eq!(run.result().await?, "Ben");
    Ok(())
}
