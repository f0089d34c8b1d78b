//! Log messages about the sessions that statements wait for.

use std::fmt::Write as _;
use std::sync::{Mutex, Once, PoisonError};
use std::time::Duration;

use piton::store::StoreOptions;
use sqlx::{Connection as _, PgConnection};
use tracing::field::{Field, Visit};
use tracing::{Event, Level, Metadata, Subscriber, span, subscriber};

use crate::fixture::{keep, new_worker, start};

/// The warnings of this process, one per line.
static SAID: Mutex<Vec<String>> = Mutex::new(Vec::new());

/// Records warnings only.
struct Listener;

struct Line(String);

impl Visit for Line {
    fn record_debug(&mut self, field: &Field, value: &dyn std::fmt::Debug) {
        let _ = write!(self.0, "{}={value:?} ", field.name());
    }
}

impl Subscriber for Listener {
    fn enabled(&self, metadata: &Metadata<'_>) -> bool {
        metadata.is_event() && *metadata.level() == Level::WARN
    }

    fn new_span(&self, _: &span::Attributes<'_>) -> span::Id {
        span::Id::from_u64(1)
    }

    fn record(&self, _: &span::Id, _: &span::Record<'_>) {}

    fn record_follows_from(&self, _: &span::Id, _: &span::Id) {}

    fn event(&self, event: &Event<'_>) {
        let mut line = Line(String::new());
        event.record(&mut line);
        SAID.lock().unwrap_or_else(PoisonError::into_inner).push(line.0);
    }

    fn enter(&self, _: &span::Id) {}

    fn exit(&self, _: &span::Id) {}
}

/// The warnings so far that contain this name.
fn said_of(name: &str) -> Vec<String> {
    let said = SAID.lock().unwrap_or_else(PoisonError::into_inner);
    said.iter().filter(|line| line.contains(name)).cloned().collect()
}

/// A program that keeps a run's row locked and makes no progress, like one in a debugger.
pub(crate) async fn the_log_names_the_session_that_blocks_statements(url: String) {
    static LISTENS: Once = Once::new();
    LISTENS.call_once(|| subscriber::set_global_default(Listener).expect("nobody else listens"));
    let options = StoreOptions::default().answer_timeout(Duration::from_secs(6));
    let store = options.connect(&url).await.expect("the server is there");
    let worker = store.register_worker(new_worker()).await.expect("a worker can register");
    let run_id = start(&*store, Some(worker)).await;
    let mut meddler = PgConnection::connect(&format!("{url}&application_name=meddler"))
        .await
        .expect("the server is there");
    let locked = "BEGIN; SELECT run_id FROM piton_runs FOR UPDATE";
    sqlx::raw_sql(locked).execute(&mut meddler).await.expect("nobody else has them");
    let commit = tokio::spawn(async move { store.commit_steps(worker, &[&keep(run_id, 0)]).await });
    while said_of("meddler").is_empty() {
        tokio::time::sleep(Duration::from_millis(5)).await;
    }
    sqlx::raw_sql("ROLLBACK").execute(&mut meddler).await.expect("it has begun");
    commit.await.expect("no panic").expect("it can commit");
    let said = said_of("meddler");
    let [said] = &said[..] else { panic!("it is said once: {said:?}") };
    for part in ["operation=\"commit_steps\"", "state=\"idle in transaction\"", "since="] {
        assert!(said.contains(part), "{said}");
    }
}
