//! The oracle's record of queued activities and of the tokens of their attempts.

use std::collections::{BTreeMap, BTreeSet};

use piton::activities::ActivityInfo;
use piton::model::{Payload, RunId, Timestamp};
use piton::store::{
    ActivityEnd, ActivityHeartbeat, ActivityKey, ActivityLimits, Effect, FinishActivity,
    QueueLimits, Reporter, WorkerLease,
};

use crate::clerks::Answer;
use crate::program::PARTITIONED;

/// See the [module documentation](self).
#[derive(Debug, Default)]
pub(super) struct Queues {
    rows: BTreeMap<ActivityKey, Row>,
    /// All activities that ever were on a queue.
    ever: BTreeSet<ActivityKey>,
    /// The outcomes of ended activities.
    outcomes: BTreeMap<ActivityKey, Option<i64>>,
    /// The arrivals about calls that never were on a queue; `None` is a failure.
    heard: BTreeMap<ActivityKey, BTreeSet<Option<i64>>>,
    /// The attempts that were ended with their tokens.
    tokens: BTreeSet<(ActivityKey, u32)>,
    /// How often attempts of a call were interrupted.
    interruptions: BTreeMap<ActivityKey, u32>,
    /// The limits of the queue with partitions.
    pub(super) limits: QueueLimits,
}

#[derive(Debug)]
struct Row {
    queue: String,
    partition: String,
    limits: ActivityLimits,
    attempt: u32,
    /// Who makes the attempt.
    worker: Option<WorkerLease>,
    /// Since when it is due, if no attempt is made.
    due_at: Option<Timestamp>,
    began_at: Timestamp,
    beaten_at: Timestamp,
    details: Option<Payload>,
}

impl Row {
    /// Whether a limit has expired. Stores round limits up to milliseconds.
    fn is_expired(&self, now: Timestamp) -> bool {
        let ActivityLimits { schedule_to_start, start_to_close, heartbeat, close_by } = self.limits;
        let is_over = |since: Timestamp, limit: Option<std::time::Duration>| {
            limit.is_some_and(|limit| since + limit <= now)
        };
        let is_late = match self.due_at {
            Some(due_at) => is_over(due_at, schedule_to_start),
            None => is_over(self.began_at, start_to_close) || is_over(self.beaten_at, heartbeat),
        };
        is_late || close_by.is_some_and(|close_by| close_by <= now)
    }

    fn wait(&mut self, due_at: Timestamp) {
        (self.worker, self.due_at) = (None, Some(due_at));
    }
}

impl Queues {
    /// Records the activities that a step puts on queues and drops.
    pub(super) fn asked(
        &mut self,
        run_id: RunId,
        now: Timestamp,
        effects: &[Effect],
    ) -> Option<String> {
        for effect in effects {
            let activity = match effect {
                Effect::Enqueue(activity) => activity,
                Effect::GiveUp(handle) => {
                    self.rows.remove(&ActivityKey { run_id, handle: *handle });
                    continue;
                }
                Effect::Send(_)
                | Effect::SetAside(_)
                | Effect::Reply(_)
                | Effect::SetAttributes(_)
                | Effect::SetMemo(_)
                | Effect::Pause => continue,
            };
            let key = ActivityKey { run_id, handle: activity.handle };
            let row = Row {
                queue: activity.queue.clone(),
                partition: activity.partition.clone(),
                limits: activity.limits,
                attempt: 0,
                worker: None,
                due_at: Some(activity.due_at.map_or(now, |due_at| due_at.max(now))),
                began_at: now,
                beaten_at: now,
                details: None,
            };
            if self.rows.insert(key, row).is_some() || !self.ever.insert(key) {
                return Some(format!("call {} was put on a queue twice", key.handle.0));
            }
        }
        None
    }

    /// Records a closed run. Its remaining activities are dropped.
    pub(super) fn closed(&mut self, run_id: RunId, was_terminated: bool) -> Option<String> {
        let left: Vec<_> = self.rows.keys().filter(|key| key.run_id == run_id).copied().collect();
        left.iter().for_each(|key| drop(self.rows.remove(key)));
        (!left.is_empty() && !was_terminated).then(|| format!("left {left:?} on queues"))
    }

    pub(super) fn let_go(&mut self, worker: WorkerLease, now: Timestamp) {
        for (key, row) in self.rows.iter_mut().filter(|(_, row)| row.worker == Some(worker)) {
            row.wait(now);
            *self.interruptions.entry(*key).or_default() += 1;
        }
    }

    /// When the running attempt of a call was claimed.
    pub(super) fn given_at(&self, key: ActivityKey) -> Option<Timestamp> {
        self.rows.get(&key).filter(|row| row.worker.is_some()).map(|row| row.began_at)
    }

    /// The claimed attempts of a worker that have not ended, by number.
    pub(super) fn made_by(&self, worker: WorkerLease) -> impl Iterator<Item = (ActivityKey, u32)> {
        let own = self.rows.iter().filter(move |(_, row)| row.worker == Some(worker));
        own.map(|(key, row)| (*key, row.attempt))
    }

    /// Records a claimed attempt.
    pub(super) fn attempted(
        &mut self,
        key: ActivityKey,
        attempt: u32,
        worker: WorkerLease,
        again: bool,
        now: Timestamp,
    ) -> Option<String> {
        let handle = key.handle.0;
        let Some(row) = self.rows.get_mut(&key) else {
            return Some(format!("call {handle} is on no queue and was attempted"));
        };
        if again {
            let fits = row.worker == Some(worker) && row.attempt == attempt;
            return (!fits).then(|| format!("attempt {attempt} of call {handle} is not a stray"));
        }
        let fits = row.due_at.is_some_and(|due_at| due_at <= now)
            && !row.is_expired(now)
            && attempt == row.attempt + 1;
        (row.attempt, row.worker, row.due_at) = (attempt, Some(worker), None);
        (row.began_at, row.beaten_at) = (now, now);
        if !fits {
            return Some(format!("attempt {attempt} of call {handle} was given away too early"));
        }
        self.exceeded(key)
    }

    /// The limit of its queue that an attempt exceeds.
    fn exceeded(&self, key: ActivityKey) -> Option<String> {
        let row = self.rows.get(&key).filter(|row| row.queue == PARTITIONED)?;
        let under_way =
            self.rows.values().filter(|one| one.queue == row.queue && one.worker.is_some());
        let (mut all, mut alike) = (0, 0);
        for one in under_way {
            all += 1;
            alike += u32::from(one.partition == row.partition);
        }
        let exceeds = |count: u32, limit: Option<u32>| limit.is_some_and(|limit| count > limit);
        let QueueLimits { max_concurrent, partition_concurrent, .. } = self.limits;
        if exceeds(all, max_concurrent) {
            return Some(format!("{all} attempts are under way on one queue"));
        }
        exceeds(alike, partition_concurrent)
            .then(|| format!("{alike} attempts are under way in partition {:?}", row.partition))
    }

    /// Records a heartbeat.
    pub(super) fn beaten(&mut self, beat: &ActivityHeartbeat, now: Timestamp) -> Option<String> {
        let (handle, attempt) = (beat.key.handle.0, beat.attempt);
        let row = self.rows.get_mut(&beat.key).filter(|row| {
            row.attempt == attempt && row.due_at.is_none() && row.is_entitled(beat.reporter)
        });
        let Some(row) = row else {
            return Some(format!("attempt {attempt} of call {handle} is over and lives"));
        };
        row.beaten_at = now;
        row.details = beat.details.clone().or_else(|| row.details.take());
        None
    }

    /// Records the end of an attempt.
    pub(super) fn ended(&mut self, end: &FinishActivity, now: Timestamp) -> Option<String> {
        let FinishActivity { key, attempt, reporter, .. } = *end;
        let handle = key.handle.0;
        let row = self.rows.get_mut(&key).filter(|row| row.attempt == attempt);
        let Some(row) = row else {
            return Some(format!("attempt {attempt} of call {handle} has ended twice"));
        };
        let is_entitled = match reporter {
            Reporter::Expiry => row.is_expired(now),
            reporter => row.due_at.is_none() && row.is_entitled(reporter),
        };
        if reporter == Reporter::Token {
            self.tokens.insert((key, attempt));
        }
        match &end.end {
            // The arrival has the outcome.
            ActivityEnd::Outcome(_) | ActivityEnd::Failed { .. } => drop(self.rows.remove(&key)),
            ActivityEnd::Retry { retry_at, .. }
                if row.limits.close_by.is_some_and(|close_by| *retry_at >= close_by) =>
            {
                return Some(format!("call {handle} is to be tried again after its end"));
            }
            ActivityEnd::Retry { retry_at, details, .. } => {
                row.wait(*retry_at);
                row.details = details.clone().or_else(|| row.details.take());
            }
            ActivityEnd::Later => row.worker = None,
            ActivityEnd::PutBack { due_at } => {
                row.wait(*due_at);
                row.attempt -= 1;
            }
        }
        (!is_entitled)
            .then(|| format!("attempt {attempt} of call {handle} was ended by {reporter:?}"))
    }

    /// Records the outcome of a call. Returns whether it is one too many. Owners may deliver their own outcomes again.
    pub(super) fn arrived(&mut self, key: ActivityKey, value: Option<i64>) -> bool {
        if !self.ever.contains(&key) {
            self.heard.entry(key).or_default().insert(value);
            return false;
        }
        self.outcomes.insert(key, value).is_some()
    }

    /// Records a failed attempt of a call.
    pub(super) fn failed(&mut self, key: ActivityKey) {
        self.heard.entry(key).or_default().insert(None);
    }

    /// Checks the result of using a token.
    pub(super) fn token_was_used(
        &self,
        info: &ActivityInfo,
        said: Option<i64>,
        answer: Answer,
    ) -> Option<String> {
        let (handle, attempt) = (info.handle, info.attempt);
        let key = ActivityKey { run_id: info.run_id, handle };
        let heard = self.heard.get(&key).filter(|_| !self.ever.contains(&key));
        let was_taken = self.tokens.contains(&(key, attempt)) || heard.is_some();
        let is_outcome = said.is_some()
            && (self.outcomes.get(&key).copied().flatten() == said
                || heard.is_some_and(|heard| heard.contains(&said)));
        let handle = handle.0;
        match answer {
            Answer::Taken if !was_taken => {
                Some(format!("attempt {attempt} of call {handle}: a token was taken and lost"))
            }
            Answer::Stale if is_outcome => {
                Some(format!("attempt {attempt} of call {handle}: a token was taken and refused"))
            }
            _ => None,
        }
    }

    /// The details of the last heartbeat before an attempt.
    pub(super) fn details(&self, key: ActivityKey, attempt: u32) -> Option<(u32, u64)> {
        let row = self.rows.get(&key).filter(|row| row.attempt == attempt)?;
        let details: (u32, u64) = piton::codec::from_payload(row.details.as_ref()?).ok()?;
        (details.0 < attempt).then_some(details)
    }

    /// How often attempts of a run's calls were interrupted. Shutting a worker down interrupts the attempts that it
    /// owns without knowing.
    pub(super) fn interruptions_of(&self, run_id: RunId) -> u32 {
        let of_run = self.interruptions.iter().filter(|(key, _)| key.run_id == run_id);
        of_run.map(|(_, interruptions)| interruptions).sum()
    }

    /// How often attempts of a call were interrupted.
    pub(super) fn interruptions(&self, key: ActivityKey) -> u32 {
        self.interruptions.get(&key).copied().unwrap_or_default()
    }
}

impl Row {
    fn is_entitled(&self, reporter: Reporter) -> bool {
        match reporter {
            Reporter::Worker(worker) => self.worker == Some(worker),
            Reporter::Token => true,
            Reporter::Expiry => false,
        }
    }
}
