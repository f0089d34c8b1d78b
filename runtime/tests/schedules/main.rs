//! Schedules over the in-memory store, on virtual time.

#![allow(missing_docs, unreachable_pub, clippy::new_without_default, clippy::unwrap_used)]

mod catching_up;
mod chains;
mod changing;
mod faults;
mod overlap;
mod results;
mod signals;
mod zone_data;

use std::sync::Arc;
use std::time::Duration;

use piton::client::Overlap;
use piton::filter::Filter;
use piton::model::{RunStatus, Timestamp};
use piton::prelude::*;
use piton::schedule::{Spec, UnixSeconds};
use piton::store::{MemoryStore, RunRecord};

/// The initial time of a store's clock: 2026-01-01T00:00:00Z.
pub const BEGIN: i64 = 1_767_225_600;

#[workflow]
pub async fn job(cx: &Context, seconds_long: u64) -> u64 {
    cx.sleep(seconds(seconds_long)).await;
    seconds_long
}

#[workflow]
pub async fn doomed(cx: &Context, seconds_long: u64) -> Result<(), String> {
    cx.sleep(seconds(seconds_long)).await;
    Err("no luck".to_owned())
}

pub struct Rig {
    pub store: Arc<MemoryStore>,
    pub client: Client,
}

impl Rig {
    pub fn new() -> Self {
        let store = MemoryStore::new();
        let client = Client::new(store.clone());
        Self { store, client }
    }

    pub fn worker(&self) -> Worker {
        Worker::new(&self.client)
    }

    /// The runs, each by the seconds of its nominal time, the tenths of a second at which it was started, and its
    /// status; all counted from the beginning.
    pub async fn runs(&self) -> Vec<(i64, i64, RunStatus)> {
        let runs = self.client.list_runs(Filter::all()).limit(1_000).await.unwrap().runs;
        let mut runs: Vec<_> = runs.iter().map(told).collect();
        runs.sort_unstable_by_key(|(nominal, started, _)| (*started, *nominal));
        runs
    }

    /// The nominal times of the runs, in order.
    pub async fn nominal(&self) -> Vec<i64> {
        let mut all: Vec<i64> =
            self.runs().await.into_iter().map(|(nominal, ..)| nominal).collect();
        all.sort_unstable();
        all
    }

    pub async fn pass(&self, seconds: u64) {
        tokio::time::sleep(Duration::from_secs(seconds)).await;
    }
}

fn told(run: &RunRecord) -> (i64, i64, RunStatus) {
    let nominal: UnixSeconds = run.workflow_id.split_once('-').unwrap().1.parse().unwrap();
    (nominal.0 - BEGIN, (run.started_at.0 - BEGIN * 1_000_000) / 100_000, run.status)
}

/// The time this many seconds after the beginning.
pub fn at(seconds: i64) -> Timestamp {
    Timestamp((BEGIN + seconds) * 1_000_000)
}

/// Every ten seconds until this many seconds after the beginning.
pub fn tens(until: i64) -> Spec {
    Spec::new().every(Duration::from_secs(10)).end(UnixSeconds(BEGIN + until))
}

pub const ALL: Overlap = Overlap::AllowAll;
