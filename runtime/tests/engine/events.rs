//! The fields of events: they suffice even if the spans around the events are filtered out.

use std::cell::RefCell;
use std::collections::BTreeMap;
use std::fmt::Debug;
use std::sync::Once;

use piton::prelude::*;
use tracing::field::{Field, Visit};
use tracing::span::{Attributes, Id, Record};
use tracing::{Event, Level, Metadata, Subscriber};

use crate::faults::Failing;
use crate::queues::study;
use crate::rig::Rig;
use crate::workflows::{chain, collect, work};

/// One event: its level, and its fields by name. The text is the field `message`.
#[derive(Clone, Debug)]
struct Told {
    level: Level,
    fields: BTreeMap<&'static str, String>,
}

impl Told {
    fn field(&self, name: &str) -> &str {
        self.fields.get(name).unwrap_or_else(|| panic!("no field `{name}` in {self:?}"))
    }
}

impl Visit for Told {
    fn record_debug(&mut self, field: &Field, value: &dyn Debug) {
        self.fields.insert(field.name(), format!("{value:?}"));
    }

    fn record_str(&mut self, field: &Field, value: &str) {
        self.fields.insert(field.name(), value.to_owned());
    }
}

thread_local! {
    /// The events of the test on this thread, if it listens.
    static TOLD: RefCell<Option<Vec<Told>>> = const { RefCell::new(None) };
}

/// The events of this thread while it lives, and no spans.
struct Events(());

impl Events {
    fn listen() -> Self {
        // One subscriber for the process. With one for each thread, tracing may disable a callsite for all of them
        // because the thread that reaches it first has none.
        static LISTENS: Once = Once::new();
        LISTENS.call_once(|| {
            tracing::subscriber::set_global_default(Listener).expect("nobody else listens");
            tracing::callsite::rebuild_interest_cache();
        });
        TOLD.set(Some(Vec::new()));
        Self(())
    }

    /// The events with this text.
    fn all(&self, message: &str) -> Vec<Told> {
        TOLD.with_borrow(|told| {
            let told = told.iter().flatten();
            told.filter(|told| told.field("message") == message).cloned().collect()
        })
    }

    /// The only event with this text.
    fn one(&self, message: &str) -> Told {
        let all = self.all(message);
        assert_eq!(all.len(), 1, "{message}: {all:?}");
        all.into_iter().next().unwrap()
    }
}

impl Drop for Events {
    fn drop(&mut self) {
        TOLD.set(None);
    }
}

struct Listener;

impl Subscriber for Listener {
    fn enabled(&self, metadata: &Metadata<'_>) -> bool {
        metadata.is_event() && metadata.target().starts_with("piton::")
    }

    fn event(&self, event: &Event<'_>) {
        // The list is gone when the thread ends.
        let _ = TOLD.try_with(|list| {
            if let Some(list) = &mut *list.borrow_mut() {
                let mut told = Told { level: *event.metadata().level(), fields: BTreeMap::new() };
                event.record(&mut told);
                list.push(told);
            }
        });
    }

    fn new_span(&self, _: &Attributes<'_>) -> Id {
        Id::from_u64(1)
    }

    fn record(&self, _: &Id, _: &Record<'_>) {}

    fn record_follows_from(&self, _: &Id, _: &Id) {}

    fn enter(&self, _: &Id) {}

    fn exit(&self, _: &Id) {}
}

#[tokio::test(start_paused = true)]
async fn an_event_names_the_blocked_run_completely() {
    let events = Events::listen();
    let rig = Rig::new();
    let worker = rig.worker().start().await.unwrap();
    let run = rig.client.start(collect(1)).id("order-7").await.unwrap();
    rig.until_parked(&run).await;
    rig.spoil(&run);
    run.signal(crate::activities::Approve { by: "ada".into() }).await.unwrap();
    let reason = rig.until_blocked(&run).await.blocked.unwrap().to_string();
    let told = events.one("the run is blocked");
    assert_eq!(told.level, Level::WARN);
    assert_eq!(told.field("run_id"), run.run_id().to_string());
    assert_eq!(told.field("workflow_id"), "order-7");
    assert_eq!(told.field("workflow"), "collect");
    assert_eq!(told.field("reason"), reason);
    worker.shutdown().await.unwrap();
}

#[tokio::test(start_paused = true)]
async fn a_failed_run_is_a_warning_and_each_attempt_an_event() {
    let events = Events::listen();
    let rig = Rig::new();
    rig.lab.fail("broken", 10);
    let worker = rig.worker().start().await.unwrap();
    let run = rig.client.start(work("broken".to_owned())).id("order-8").await.unwrap();
    run.result().await.unwrap_err();
    worker.shutdown().await.unwrap();

    let attempts = events.all("an attempt has failed");
    let numbers: Vec<_> = attempts.iter().map(|told| told.field("attempt")).collect();
    assert_eq!(numbers, ["1", "2", "3", "4"]);
    for told in &attempts {
        assert_eq!(told.level, Level::INFO);
        assert_eq!(told.field("run_id"), run.run_id().to_string());
        assert_eq!((told.field("workflow_id"), told.field("workflow")), ("order-8", "work"));
        assert_eq!((told.field("activity"), told.field("error")), ("perform", "broken failed"));
        let is_last = told.field("attempt") == "4";
        assert_eq!(told.fields.contains_key("next_attempt_at"), !is_last, "{told:?}");
    }
    let told = events.one("the run has failed");
    assert_eq!(told.level, Level::WARN);
    assert_eq!((told.field("workflow_id"), told.field("workflow")), ("order-8", "work"));
    assert_eq!(told.field("failure"), run.status().await.unwrap().failure.unwrap());
}

#[tokio::test(start_paused = true)]
async fn events_cover_attempts_on_queues() {
    let events = Events::listen();
    let rig = Rig::new();
    rig.lab.fail("model", 1);
    let worker = rig.worker().queue("gpu").start().await.unwrap();
    let run = rig.client.start(study("model".to_owned())).id("study-1").await.unwrap();
    run.result().await.unwrap();
    worker.shutdown().await.unwrap();
    let told = events.one("an attempt has failed");
    assert_eq!((told.level, told.field("attempt")), (Level::INFO, "1"));
    assert_eq!((told.field("workflow_id"), told.field("error")), ("study-1", "model failed"));
    assert!(told.fields.contains_key("next_attempt_at"), "{told:?}");
}

#[tokio::test(start_paused = true)]
async fn an_event_of_a_database_error_tells_the_cause() {
    for (operation, message) in [
        ("claim_runs", "no runs could be claimed"),
        ("commit_steps", "the database will be tried again"),
        ("renew_lease", "the lease could not be renewed yet"),
        ("fence_expired_workers", "the sweep could not be completed"),
    ] {
        let events = Events::listen();
        let rig = Rig::new();
        let worker = rig.worker().start().await.unwrap();
        rig.store.set_hook(Failing::new(operation, 1, false));
        tokio::time::sleep(minutes(1)).await;
        assert_eq!(rig.client.start(chain(2)).await.unwrap().result().await.unwrap(), 1);
        worker.shutdown().await.unwrap();
        let told = events.one(message);
        let cause = std::io::Error::from(std::io::ErrorKind::ConnectionReset).to_string();
        // The warning is that of the whole process.
        assert_eq!(told.level, Level::DEBUG);
        assert!(told.field("error").ends_with(&format!(": {cause}")), "{told:?}");
    }
}
