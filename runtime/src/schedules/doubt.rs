//! Times for which it is unknown whether their runs were started.
//!
//! A worker starts the runs of a schedule and then writes the new state. If the schedule was changed since the worker's
//! claim, this write is refused, and the next worker decides again. It finds the runs of the same times already started
//! and records them, unless the change, such as a pause or another spec, has removed these times. Such times are kept
//! here, and their runs are looked up until no worker can still start them.

use std::time::Duration;

use piton_schedule::UnixSeconds;
use serde::{Deserialize, Serialize};

use super::config::Config;
use super::log::{LogKind, entry};
use super::state::{Identity, Item, ItemKind, State, Taken};
use crate::model::{RunId, Timestamp};
use crate::store::NewScheduleLogEntry;

/// The maximum number of times that are kept. A worker starts no more runs of one schedule per round.
const MAX_ITEMS: usize = 100;

/// The maximum age of a round. After that it starts no more runs of the schedules that it has claimed.
pub(crate) const MAX_ROUND: Duration = Duration::from_secs(60);

/// How long runs are looked up: the last call of a round may itself take as long as a round.
const KEPT: Duration = Duration::from_secs(2 * MAX_ROUND.as_secs());

/// How often they are looked up.
const WATCH: Duration = Duration::from_secs(5);

/// The times in doubt after the last changes.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub(crate) struct Doubt {
    items: Vec<Item>,
    /// After this time no worker can start their runs.
    until: Option<Timestamp>,
}

impl Doubt {
    pub(crate) fn is_empty(&self) -> bool {
        self.items.is_empty()
    }

    pub(crate) fn items(&self) -> &[Item] {
        &self.items
    }

    /// When to look them up again.
    pub(crate) fn due_at(&self, now: Timestamp) -> Option<Timestamp> {
        (!self.is_empty()).then(|| now + WATCH)
    }

    /// Removes the started items, or all of them once no worker can start their runs.
    pub(crate) fn settle(&mut self, started: &[Item], now: Timestamp) {
        let is_over = self.until.is_none_or(|until| until <= now);
        self.items.retain(|item| !is_over && !started.contains(item));
    }
}

impl State {
    /// Keeps the times that were due by the configuration and the state before a change and are no longer due after it.
    pub(crate) fn doubt(&mut self, before: (&Config, &Self), schedule_id: &str, now: Timestamp) {
        let (config, state) = before;
        let goes_on = self.is_live() && self.until == state.until;
        // No run shows that a signal was sent.
        let sends = config.action.signal.is_some();
        // A stored configuration has compiled before.
        let times = config.spec.compile().ok();
        let Some(times) = times.filter(|_| state.is_live() && !goes_on && !sends) else { return };
        // Older times count as missed, so no worker starts their runs.
        let oldest = now - config.catch_up() - times.max_jitter();
        let mut last = state.until.max(UnixSeconds(UnixSeconds::from_micros(oldest.0).0 - 1));
        let mut items = Vec::new();
        while let Some(nominal) = times.next(last) {
            let at = Timestamp(nominal.as_micros());
            if at + times.jitter(schedule_id, nominal) > now || items.len() == MAX_ITEMS {
                break;
            }
            items.push(Item { nominal: at, kind: ItemKind::Tick, overlap: None });
            last = nominal;
        }
        self.keep_in_doubt(items, now);
    }

    /// Cancels all backfills, with their runs that wait. Returns how many were waiting.
    pub(crate) fn cancel_backfills(&mut self, config: &Config, now: Timestamp) -> usize {
        let is_of_backfill = |item: &Item| matches!(item.kind, ItemKind::Backfill(_));
        let mut cancelled: Vec<Item> =
            self.waiting.iter().copied().filter(is_of_backfill).collect();
        let waiting = cancelled.len();
        // What the next round would have taken.
        let mut taken = Taken::default();
        if let Ok(times) = config.spec.compile() {
            self.take_backfills(config, &times, &mut taken);
        }
        cancelled.extend(taken.items);
        self.waiting.retain(|item| !is_of_backfill(item));
        self.backfills.clear();
        if config.action.signal.is_none() {
            self.keep_in_doubt(cancelled, now);
        }
        waiting
    }

    /// Keeps times whose runs a worker may be about to start.
    fn keep_in_doubt(&mut self, mut items: Vec<Item>, now: Timestamp) {
        items.retain(|item| !self.doubt.items.contains(item));
        if items.is_empty() {
            return;
        }
        self.doubt.items.extend(items);
        let excess = self.doubt.items.len().saturating_sub(MAX_ITEMS);
        self.doubt.items.drain(..excess);
        self.doubt.until = Some(now + KEPT);
    }

    /// Records that the run of a time was started by a worker that could not record it.
    pub(crate) fn was_started(
        &mut self,
        run_id: RunId,
        item: &Item,
        log: &mut Vec<NewScheduleLogEntry>,
    ) {
        self.begin(run_id, item);
        let what =
            LogKind::Started { last_completed: self.last_completed, last_failed: self.last_failed };
        log.push(entry(&what, Some(item.nominal), Some(run_id)));
    }

    /// The runs of times in doubt, by their ids.
    pub(crate) fn in_doubt(&self, schedule: Identity<'_>) -> Vec<(RunId, Item)> {
        self.doubt.items().iter().map(|item| (schedule.run_id(item), *item)).collect()
    }
}
