//! Messages on their way: in the outbox, in the inboxes of paused runs, and among the dead letters.

use std::time::Duration;

use libtest_mimic::Failed;
use piton::activities::ActivityContext;
use piton::client::Client;
use piton::machine::{ChildError, Never};
use piton::prelude::*;
use piton::store::{ArrivalKind, DeadLetterFilter, DeadLetterReason, RedeliverOutcome};
use serde_json::json;

use crate::blocked;
use crate::dump::execute;
use crate::parked::{LOOK, until_parked};
use crate::shop::{Go, Parks};
use crate::waits::delivers;

/// Runs that are paused while something arrives for them, the states that they are in, and what they come to.
const PAUSED: [(&str, &str, &str); 5] = [
    ("has a signal", "signal<Go>", "Ann"),
    ("has a request to cancel", "signal<Go>", "cancelled: not needed"),
    ("has the end of a child", "child", "Cher"),
    ("has an outcome of a promise", "promise", "Prudence"),
    ("has a retry", "sign", "2 after 7"),
];

/// Needs somebody who signs while the runs are to be parked.
#[activity(retry(initial = "1ms", max_interval = "1ms"))]
async fn sign(cx: &ActivityContext) -> Result<String, String> {
    match *cx.dependency() {
        Parks(true) => cx.complete_later().await,
        Parks(false) => {
            let last: u64 = cx.last_heartbeat().unwrap_or_default();
            Ok(format!("{} after {last}", cx.info().attempt))
        }
    }
}

#[workflow]
async fn waits_for(cx: &Context, what: String) -> String {
    match &*what {
        "child" => {
            let id = format!("child of {}", cx.workflow_id());
            let child = cx.start_child(delivers()).id(id);
            #[state("child")]
            let end = child.await;
            end.unwrap_or_default()
        }
        "promise" => {
            let promise: Promise<String, Never> = cx.promise("early");
            #[state("promise")]
            let outcome = promise.await;
            outcome.unwrap_or_default()
        }
        "sign" => sign().await.unwrap_or_default(),
        _ => {
            #[state("signal<Go>")]
            let go = cx.signal::<Go>().or_cancelled().await;
            match go {
                Ok(go) => go.by,
                Err(cancelled) => format!("cancelled: {}", cancelled.reason),
            }
        }
    }
}

/// Starts a child whose workflow id another run has.
#[workflow]
async fn is_late(cx: &Context) -> bool {
    let child = cx.start_child(delivers()).id("receiver");
    cx.signal::<Go>().await;
    matches!(child.await, Err(ChildError::IdTaken { workflow_id, .. }) if workflow_id == "receiver")
}

/// Sends nobody a message.
#[workflow]
async fn sends_to_nobody(cx: &Context) {
    cx.signal_run("nobody yet", go("Nick"));
    cx.cancel_run("nobody at all", "not needed");
}

/// Sends messages of all kinds.
#[workflow]
async fn sends(cx: &Context) -> String {
    let child = cx.start_child(delivers()).id("sent child");
    child.signal(cx, go("the sender"));
    cx.signal_run("receiver", go("the sender"));
    cx.cancel_run("asked", "the sender asks");
    cx.complete_promise::<u64, String>(&PromiseToken::shared("price"), Ok(7));
    cx.complete_promise::<u64, String>(&PromiseToken::shared("offer"), Err("none".to_owned()));
    child.await.unwrap_or_default()
}

#[workflow]
async fn waits_for_a_price(cx: &Context, name: String) -> String {
    format!("{:?}", cx.shared_promise::<u64, String>(name).await)
}

fn go(by: &str) -> Go {
    Go { by: by.to_owned() }
}

pub(crate) async fn park_runs(client: &Client) -> Result<(), Failed> {
    client.start(sends_to_nobody()).await?.result().await?;
    for (id, state, _) in PAUSED {
        let run = client.start(waits_for(state.to_owned())).id(id).await?;
        until_parked(client, id, state).await?;
        assert!(run.pause("for a while").await?, "{id}");
    }
    client.run::<waits_for>("has a signal").await?.signal(go("Ann")).dedup_key("once").await?;
    client.run::<waits_for>("has a request to cancel").await?.cancel("not needed").await?;
    let child = client.run::<delivers>("child of has the end of a child").await?;
    child.signal(go("Cher")).await?;
    let run = client.run::<waits_for>("has an outcome of a promise").await?.run_id();
    let promise = client.promise(&PromiseToken::of_run(waits_for::NAME, run, "early"));
    assert!(promise.resolve(&"Prudence".to_owned()).await?.is_first());
    let run = client.run::<waits_for>("has a retry").await?.run_id();
    let handle = client.activities(run).await?[0].handle.0;
    let token = format!("piton1-{}-{handle:x}-1", run.as_uuid().simple()).parse()?;
    client.heartbeat_activity(token, &7_u64).await?;
    client.fail_activity::<sign>(token, "not now".to_owned()).retryable().await?;

    for id in ["receiver", "asked"] {
        client.start(waits_for("a signal".to_owned())).id(id).await?;
        until_parked(client, id, "signal<Go>").await?;
    }
    client.start(is_late()).id("late parent").await?;
    until_parked(client, "late parent", "signal<Go>").await?;
    let run = client.start(delivers()).id("delayed").start_delay(Duration::from_secs(2)).await?;
    assert!(run.pause("for a while").await?);
    client.start(waits_for("child".to_owned())).id("parent of a child that closes").await?;
    until_parked(client, "parent of a child that closes", "child").await?;
    for name in ["price", "offer"] {
        client.start(waits_for_a_price(name.to_owned())).id(name).await?;
        until_parked(client, name, "promise").await?;
    }
    Ok(())
}

/// Has runs send messages that stay in the outbox, because the database refuses to relay them.
pub(crate) async fn fill_the_outbox(client: &Client, url: &str) -> Result<(), Failed> {
    const TRIGGER: &str = "CREATE TRIGGER no_relay BEFORE DELETE ON piton_outbox FOR EACH ROW";
    if url.starts_with("sqlite") {
        let trigger = format!("{TRIGGER} BEGIN SELECT RAISE(ABORT, 'no relay'); END");
        execute(url, &trigger).await?;
    } else {
        let function = "CREATE FUNCTION no_relay() RETURNS trigger LANGUAGE plpgsql AS \
            'BEGIN RAISE EXCEPTION ''no relay''; END'";
        execute(url, function).await?;
        execute(url, &format!("{TRIGGER} EXECUTE FUNCTION no_relay()")).await?;
    }
    let worker = blocked::edited(client).provide(Parks(true)).start().await?;
    client.start(sends()).id("sender").await?;
    until_parked(client, "sender", "child").await?;
    let child = "child of parent of a child that closes";
    client.run::<delivers>(child).await?.signal(go("Alma")).await?;
    while client.find(child).await?.is_none_or(|run| run.status.is_open()) {
        tokio::time::sleep(LOOK).await;
    }
    worker.shutdown().await?;
    let table = if url.starts_with("sqlite") { "" } else { " ON piton_outbox" };
    execute(url, &format!("DROP TRIGGER no_relay{table}")).await
}

pub(crate) async fn finish_runs(client: &Client) -> Result<(), Failed> {
    for (id, _, result) in PAUSED {
        let run = client.run::<waits_for>(id).await?;
        assert!(run.resume().await?, "{id} is paused");
        assert_eq!(run.result().await?, result, "{id}");
    }
    let sender = client.run::<sends>("sender").await?;
    assert_eq!(sender.result().await?, "the sender");
    for (id, result) in [
        ("receiver", "the sender"),
        ("asked", "cancelled: the sender asks"),
        ("parent of a child that closes", "Alma"),
    ] {
        assert_eq!(client.run::<waits_for>(id).await?.result().await?, result, "{id}");
    }
    for (id, result) in [("price", "Ok(7)"), ("offer", "Err(Rejected(\"none\"))")] {
        assert_eq!(client.run::<waits_for_a_price>(id).await?.result().await?, result, "{id}");
    }

    let run = client.run::<is_late>("late parent").await?;
    run.signal(go("Ann")).await?;
    assert!(run.result().await?);
    let run = client.run::<delivers>("delayed").await?;
    assert!(run.resume().await?);
    run.signal(go("Deb")).await?;
    assert_eq!(run.result().await?, "Deb");

    let unknown = async |id: &str| {
        let filter = DeadLetterFilter { workflow_id: Some(id.to_owned()), run_id: None };
        let letter = client.dead_letters(&filter, 10).await?.remove(0);
        assert_eq!(letter.reason, DeadLetterReason::Unknown);
        Ok::<_, Failed>(letter)
    };
    let letter = unknown("nobody at all").await?;
    assert!(matches!(letter.arrival, ArrivalKind::Cancel { reason } if reason == "not needed"));
    let letter = unknown("nobody yet").await?;
    assert_eq!(client.dead_letter_json(&letter).await?, json!({ "by": "Nick" }));
    let run = client.start(delivers()).id("nobody yet").await?;
    let outcomes = client.redeliver_dead_letters(&[letter.id]).await?;
    assert!(matches!(outcomes[..], [RedeliverOutcome::Delivered { .. }]), "{outcomes:?}");
    assert_eq!(run.result().await?, "Nick");
    Ok(())
}
