//! What a process logs while its database is away. The events are those of the process, so there is one test.

#![allow(missing_docs, clippy::unwrap_used)]

use std::fmt::Debug;
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::{Arc, Mutex};

use piton::error::StoreError;
use piton::prelude::*;
use piton::store::MemoryStore;
use piton::store::memory::Hook;
use tracing::field::{Field, Visit};
use tracing::span::{Attributes, Id, Record};
use tracing::{Event, Level, Metadata, Subscriber};

#[workflow]
async fn naps(cx: &Context) -> u64 {
    cx.sleep(hours(1)).await;
    7
}

/// A database that is away while this is set.
#[derive(Clone, Debug, Default)]
struct Away(Arc<AtomicBool>);

#[async_trait::async_trait]
impl Hook for Away {
    async fn before(&self, operation: &'static str) -> Result<(), StoreError> {
        match self.0.load(Ordering::SeqCst) {
            true => {
                let source = std::io::Error::from(std::io::ErrorKind::ConnectionRefused).into();
                Err(StoreError::Database { operation, retryable: true, source })
            }
            false => Ok(()),
        }
    }

    async fn after(&self, _: &'static str) -> Result<(), StoreError> {
        Ok(())
    }
}

/// The texts of the events of piton.
#[derive(Clone, Default)]
struct Events(Arc<Mutex<Vec<(Level, String)>>>);

struct Text<'a>(&'a mut String);

impl Visit for Text<'_> {
    fn record_debug(&mut self, field: &Field, value: &dyn Debug) {
        if field.name() == "message" {
            *self.0 = format!("{value:?}");
        }
    }
}

impl Subscriber for Events {
    fn enabled(&self, metadata: &Metadata<'_>) -> bool {
        metadata.is_event() && metadata.target().starts_with("piton::")
    }

    fn event(&self, event: &Event<'_>) {
        let mut text = String::new();
        event.record(&mut Text(&mut text));
        self.0.lock().unwrap().push((*event.metadata().level(), text));
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
async fn many_callers_and_a_worker_log_one_warning_and_that_the_database_is_back() {
    let events = Events::default();
    tracing::subscriber::set_global_default(events.clone()).unwrap();
    let store = MemoryStore::new();
    let away = Away::default();
    store.set_hook(Arc::new(away.clone()));
    let client = Client::new(store);
    let worker = Worker::new(&client).start().await.unwrap();
    let run = client.start(naps()).id("nap").await.unwrap();
    tokio::time::sleep(seconds(10)).await;
    events.0.lock().unwrap().clear();

    away.0.store(true, Ordering::SeqCst);
    let callers = (0..100).map(|_| {
        let client = client.clone();
        tokio::spawn(async move { client.find("nap").await.map(|run| run.is_some()) })
    });
    let callers: Vec<_> = callers.collect();
    // The lease survives it.
    tokio::time::sleep(seconds(4)).await;
    away.0.store(false, Ordering::SeqCst);
    for caller in callers {
        assert!(caller.await.unwrap().unwrap());
    }
    assert_eq!(run.result().await.unwrap(), 7);
    worker.shutdown().await.unwrap();

    let told = events.0.lock().unwrap().clone();
    let of = |level: Level| {
        let of_level = told.iter().filter(|(of, _)| *of == level);
        of_level.map(|(_, text)| text.as_str()).collect::<Vec<_>>()
    };
    assert_eq!(of(Level::WARN), ["the database does not answer; it is tried again until it does"]);
    let back = of(Level::INFO);
    assert_eq!(back.iter().filter(|text| **text == "the database answers again").count(), 1);
    assert!(of(Level::DEBUG).len() > 1_000, "each try is there: {}", of(Level::DEBUG).len());
}
