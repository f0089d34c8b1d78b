//! The activities of the patterns, and a journal of their begins and ends, in seconds of virtual time.

use std::sync::{Arc, Mutex};

use piton::prelude::*;
use piton::store::MemoryStore;
use tokio::time::{Instant, sleep};

/// An activity, when it began, and when it ended.
type Entry = (String, u64, Option<u64>);

#[derive(Clone)]
pub struct Journal {
    since: Instant,
    entries: Arc<Mutex<Vec<Entry>>>,
}

impl Journal {
    fn now(&self) -> u64 {
        self.since.elapsed().as_secs()
    }

    fn begin(&self, name: &str) -> usize {
        let mut entries = self.entries.lock().unwrap();
        entries.push((name.to_owned(), self.now(), None));
        entries.len() - 1
    }

    fn end(&self, place: usize) {
        let now = self.now();
        self.entries.lock().unwrap()[place].2 = Some(now);
    }
}

/// Takes this many seconds.
#[activity]
pub async fn task(cx: &ActivityContext, name: &str, seconds: u64) -> String {
    let journal = cx.dependency::<Journal>().clone();
    let place = journal.begin(name);
    sleep(std::time::Duration::from_secs(seconds)).await;
    journal.end(place);
    name.to_owned()
}

/// A task in a separate run.
#[workflow]
pub async fn case(_cx: &Context, name: String, seconds: u64) -> String {
    task(&name, seconds).await
}

pub struct Desk {
    pub client: Client,
    journal: Journal,
    worker: RunningWorker,
}

impl Desk {
    pub async fn open() -> Self {
        let client = Client::new(MemoryStore::new());
        let journal = Journal { since: Instant::now(), entries: Arc::default() };
        let worker = Worker::new(&client).provide(journal.clone()).start().await.unwrap();
        Self { client, journal, worker }
    }

    /// The ended activities, in the order of their begin: name, begin and end.
    pub fn done(&self) -> Vec<(String, u64, u64)> {
        let entries = self.journal.entries.lock().unwrap();
        let ended = entries
            .iter()
            .filter_map(|(name, begun, ended)| Some((name.clone(), *begun, (*ended)?)));
        ended.collect()
    }

    /// The names of the begun activities, in order.
    pub fn begun(&self) -> Vec<String> {
        self.journal.entries.lock().unwrap().iter().map(|(name, _, _)| name.clone()).collect()
    }

    /// The same, sorted, for activities that may begin in any order.
    pub fn begun_in_any_order(&self) -> Vec<String> {
        let mut begun = self.begun();
        begun.sort_unstable();
        begun
    }

    pub async fn wait(&self, seconds: u64) {
        sleep(std::time::Duration::from_secs(seconds)).await;
    }

    pub async fn close(self) {
        self.worker.shutdown().await.unwrap();
    }
}

/// An entry of the journal.
pub fn entry(name: &str, begun: u64, ended: u64) -> (String, u64, u64) {
    (name.to_owned(), begun, ended)
}
