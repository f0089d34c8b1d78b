//! Queued activities of the in-memory store.

use std::cmp::Reverse;
use std::time::Duration;

use async_trait::async_trait;

use super::state::{News, State};
use super::{Guard, Held, MemoryStore, Write, transaction};
use crate::error::StoreError;
use crate::machine::{OperationOutcome, TimeoutKind};
use crate::model::{AttemptFailure, Payload, PromiseToken, Timestamp, pause_after_interruptions};
use crate::store::contract::activities::limit_ms;
use crate::store::promises::finish_message;
use crate::store::rooms::Rooms;
use crate::store::weight::{Answer, Weight as _};
use crate::store::{
    Activities, ActivityEnd, ActivityHeartbeat, ActivityKey, ActivityRecord, ActivityTransaction,
    ArrivalKind, ArrivalOutcome, ClaimActivities, ClaimedActivities, ClaimedActivity,
    ExpiredActivity, FailedCall, FailedCallId, FinishActivity, FinishOutcome, HeartbeatOutcome,
    NewActivity, NewArrival, Reporter, ReviewedActivities, WorkerLease,
};

#[async_trait]
impl Activities for MemoryStore {
    async fn claim_activities(
        &self,
        request: ClaimActivities<'_>,
    ) -> Result<ClaimedActivities, StoreError> {
        let ClaimActivities { worker, queues, activities, limit } = request;
        let (queues, activities) = (counted(queues), counted(activities));
        self.request("claim_activities", move |state, now, news| {
            let (queues, activities) = (&borrowed(&queues)[..], &borrowed(&activities)[..]);
            let request = ClaimActivities { worker, queues, activities, limit };
            state.claim_activities(request, now, news)
        })
        .await
    }

    async fn review_activities(
        &self,
        worker: WorkerLease,
        held: &[(ActivityKey, u32)],
    ) -> Result<ReviewedActivities, StoreError> {
        self.transition("review_activities", |state, now, news| {
            state.review_activities(worker, held, now, news)
        })
        .await
    }

    async fn heartbeat_activities(
        &self,
        heartbeats: Vec<ActivityHeartbeat>,
    ) -> Result<Vec<HeartbeatOutcome>, StoreError> {
        self.request("heartbeat_activities", move |state, now, news| {
            state.counts.transactions += 1;
            let note = |beat| state.heartbeat_activity(beat, now, news);
            Ok(heartbeats.into_iter().map(note).collect())
        })
        .await
    }

    async fn finish_activities(
        &self,
        ends: Vec<FinishActivity>,
    ) -> Result<Vec<FinishOutcome>, StoreError> {
        self.request("finish_activities", move |state, now, news| {
            state.counts.transactions += 1;
            Ok(ends.into_iter().map(|end| state.finish_activity(end, now, news)).collect())
        })
        .await
    }

    async fn expired_activities(&self, limit: u32) -> Result<Vec<ExpiredActivity>, StoreError> {
        self.transition("expired_activities", |state, now, _| {
            Ok(state.expired_activities(limit, now))
        })
        .await
    }

    async fn find_activity(&self, key: ActivityKey) -> Result<Option<ActivityRecord>, StoreError> {
        self.transition("find_activity", |state, _, _| Ok(state.find_activity(key))).await
    }

    async fn begin_activity(&self) -> Result<Box<dyn ActivityTransaction>, StoreError> {
        let connection = self.this.upgrade().expect("somebody calls it");
        transaction::begin(connection).await
    }
}

/// An activity on a queue.
pub(super) struct ActivityRow {
    new: NewActivity,
    attempt: u32,
    interruptions: u32,
    pub(super) worker: Option<WorkerLease>,
    pub(super) due_at: Option<Timestamp>,
    expires_at: Option<Timestamp>,
    end_by: Option<Timestamp>,
    details: Option<Payload>,
    last_failure: Option<AttemptFailure>,
    /// The dedup key, and how long it is kept, of an item of a queue.
    pub(super) item: Option<(String, Duration)>,
}

impl ActivityRow {
    pub(super) fn new(mut new: NewActivity, now: Timestamp) -> Self {
        let rounded = |limit: Duration| Duration::from_millis(limit_ms(limit).unsigned_abs());
        let limits = &mut new.limits;
        limits.schedule_to_start = limits.schedule_to_start.map(rounded);
        limits.start_to_close = limits.start_to_close.map(rounded);
        limits.heartbeat = limits.heartbeat.map(rounded);
        let mut row = Self {
            new,
            attempt: 0,
            interruptions: 0,
            worker: None,
            due_at: None,
            expires_at: None,
            end_by: None,
            details: None,
            last_failure: None,
            item: None,
        };
        row.wait(row.new.due_at.map_or(now, |due_at| due_at.max(now)));
        row
    }

    /// Counts this number of attempts as made, if none was.
    pub(super) fn count_from(&mut self, attempts: u32) {
        if self.attempt == 0 {
            self.attempt = attempts;
        }
    }

    /// Its queue.
    pub(super) fn queue(&self) -> &str {
        &self.new.queue
    }

    /// Its partition of the queue.
    pub(super) fn partition(&self) -> &str {
        &self.new.partition
    }

    /// The activity's stored name.
    pub(super) fn activity(&self) -> &str {
        &self.new.activity
    }

    pub(super) fn priority(&self) -> i16 {
        self.new.priority
    }

    /// Whether an attempt may begin.
    pub(super) fn is_due(&self, now: Timestamp) -> bool {
        self.due_at.is_some_and(|at| at <= now) && !self.is_expired(now)
    }

    /// The size of what a claim returns of it.
    pub(super) fn bytes(&self) -> usize {
        self.new.call.len() + self.details.weight()
    }

    /// Makes the next attempt due.
    fn wait(&mut self, due_at: Timestamp) {
        let limits = &self.new.limits;
        let start_by = limits.schedule_to_start.map(|limit| due_at + limit);
        self.worker = None;
        self.end_by = None;
        self.due_at = Some(due_at);
        self.expires_at = start_by.into_iter().chain(limits.close_by).min();
    }

    pub(super) fn begin(&mut self, worker: WorkerLease, now: Timestamp) {
        let limits = &self.new.limits;
        let end_by = limits.start_to_close.map(|limit| now + limit);
        self.attempt += 1;
        self.worker = Some(worker);
        self.due_at = None;
        self.end_by = end_by.into_iter().chain(limits.close_by).min();
        self.note_life(now);
    }

    fn note_life(&mut self, now: Timestamp) {
        let silent_by = self.new.limits.heartbeat.map(|limit| now + limit);
        self.expires_at = silent_by.into_iter().chain(self.end_by).min();
    }

    fn is_expired(&self, now: Timestamp) -> bool {
        self.expires_at.is_some_and(|at| at <= now)
    }

    /// The limit that has expired.
    fn expired_limit(&self, now: Timestamp) -> TimeoutKind {
        let is_over = |at: Option<Timestamp>| at.is_some_and(|at| at <= now);
        if is_over(self.new.limits.close_by) {
            TimeoutKind::ScheduleToClose
        } else if self.due_at.is_some() {
            TimeoutKind::ScheduleToStart
        } else if is_over(self.end_by) {
            TimeoutKind::StartToClose
        } else {
            TimeoutKind::Heartbeat
        }
    }

    pub(super) fn tell_attempt(
        &self,
        key: ActivityKey,
        worker: WorkerLease,
        again: bool,
        news: &News<'_>,
    ) {
        news.wrote(Write::Attempted { key, attempt: self.attempt, worker, again });
    }

    /// The record of a failed call; the id is assigned later.
    fn failed(self, key: ActivityKey, failure: String, failed_at: Timestamp) -> FailedCall {
        let NewActivity { queue, activity, call, priority, partition, .. } = self.new;
        let (id, attempts, item) = (FailedCallId(0), self.attempt, self.item);
        FailedCall {
            id,
            key,
            queue,
            activity,
            call,
            attempts,
            failure,
            failed_at,
            priority,
            partition,
            item,
        }
    }

    pub(super) fn claimed(&self, key: ActivityKey) -> ClaimedActivity {
        ClaimedActivity {
            key,
            queue: self.new.queue.clone(),
            activity: self.new.activity.clone(),
            attempt: self.attempt,
            interruptions: self.interruptions,
            call: self.new.call.clone(),
            details: self.details.clone(),
        }
    }
}

impl State {
    /// Interrupts the attempts of a worker.
    pub(super) fn interrupt(&mut self, worker: WorkerLease, now: Timestamp, news: &mut News) {
        for row in self.activities.values_mut().filter(|row| row.worker == Some(worker)) {
            row.interruptions += 1;
            let pause = pause_after_interruptions(row.interruptions).unwrap_or_default();
            row.wait(now + pause);
            news.queues.insert(row.new.queue.clone());
        }
    }

    pub(super) fn claim_activities(
        &mut self,
        request: ClaimActivities<'_>,
        now: Timestamp,
        news: &News<'_>,
    ) -> Result<ClaimedActivities, StoreError> {
        self.check(request.worker, now)?;
        let mut claimed = ClaimedActivities { now, ..ClaimedActivities::default() };
        let (mut rooms, mut answer) = (Rooms::of(&request), Answer::default());
        let mut waiting: Vec<_> = self.activities.iter_mut().collect();
        waiting.retain(|(_, row)| {
            let is_paused = self.paused_queues.contains_key(&row.new.queue);
            let is_partitioned = self.partitioned.contains_key(&row.new.queue);
            row.due_at.is_some() && !row.is_expired(now) && !is_paused && !is_partitioned
        });
        waiting.sort_by_key(|(key, row)| (Reverse(row.new.priority), row.due_at, **key));
        let mut left = Vec::new();
        for (key, row) in waiting {
            let Some(due_at) = row.due_at else { continue };
            let (queue, activity) = (&row.new.queue, &row.new.activity);
            let bytes = row.bytes();
            let may_be_taken = due_at <= now && rooms.left(queue, activity) > 0;
            if may_be_taken && answer.takes(bytes) {
                rooms.take(queue, activity);
                row.begin(request.worker, now);
                row.tell_attempt(*key, request.worker, false, news);
                claimed.activities.push(row.claimed(*key));
            } else {
                left.push((due_at, row));
            }
        }
        let next =
            left.into_iter().filter(|(_, row)| rooms.left(&row.new.queue, &row.new.activity) > 0);
        claimed.next_due_at = next.map(|(due_at, _)| due_at).min();
        for (queue, _) in request.queues {
            if !self.paused_queues.contains_key(*queue) {
                let (of, left) = ((request.worker, *queue), (&mut rooms, &mut answer));
                self.claim_partitions(of, left, &mut claimed, news);
            }
        }
        self.counts.transactions += u64::from(!claimed.activities.is_empty());
        Ok(claimed)
    }

    pub(super) fn review_activities(
        &self,
        worker: WorkerLease,
        held: &[(ActivityKey, u32)],
        now: Timestamp,
        news: &News<'_>,
    ) -> Result<ReviewedActivities, StoreError> {
        self.check(worker, now)?;
        news.holds(worker, Held::Attempts(held));
        let is_held = |(key, attempt): &(ActivityKey, u32)| {
            let row = self.activities.get(key);
            row.is_some_and(|row| row.worker == Some(worker) && row.attempt == *attempt)
        };
        let lost = held.iter().filter(|held| !is_held(held)).map(|(key, _)| *key).collect();
        let strays = self.activities.iter().filter(|(key, row)| {
            row.worker == Some(worker) && !held.contains(&(**key, row.attempt))
        });
        let mut strays = strays.peekable();
        let mut answer = Answer::default();
        let fitting = std::iter::from_fn(|| strays.next_if(|(_, row)| answer.takes(row.bytes())));
        let fitting = fitting.inspect(|(key, row)| row.tell_attempt(**key, worker, true, news));
        let fitting = fitting.map(|(key, row)| row.claimed(*key)).collect();
        let has_more = strays.peek().is_some();
        Ok(ReviewedActivities { lost, strays: fitting, has_more })
    }

    pub(super) fn heartbeat_activity(
        &mut self,
        beat: ActivityHeartbeat,
        now: Timestamp,
        news: &News<'_>,
    ) -> HeartbeatOutcome {
        let is_entitled = self.is_entitled(beat.key, beat.reporter, now);
        match self.activities.get_mut(&beat.key) {
            Some(row)
                if is_entitled
                    && beat.reporter != Reporter::Expiry
                    && row.attempt == beat.attempt =>
            {
                news.wrote(Write::Beaten { heartbeat: &beat });
                row.note_life(now);
                row.details = beat.details.or_else(|| row.details.take());
                HeartbeatOutcome::Noted
            }
            _ => HeartbeatOutcome::Stale,
        }
    }

    pub(super) fn finish_activity(
        &mut self,
        end: FinishActivity,
        now: Timestamp,
        news: &mut News,
    ) -> FinishOutcome {
        let FinishActivity { key, attempt, reporter, .. } = end;
        let token = end.dedup_key();
        if token.as_ref().is_some_and(|token| self.has_key(key.run_id, token)) {
            return FinishOutcome::Repeated;
        }
        let is_entitled = self.guard(Guard::Reporter, self.is_entitled(key, reporter, now));
        let may_be_stale = self.lacks(Guard::Attempt);
        let Some(row) = self.activities.get_mut(&key) else { return FinishOutcome::Stale };
        if !may_be_stale && row.attempt != attempt || !is_entitled {
            return FinishOutcome::Stale;
        }
        news.wrote(Write::Ended { end: &end });
        match end.end {
            ActivityEnd::Outcome(outcome) => {
                return self.finish_row(key, (reporter, token), outcome, None, (now, news));
            }
            ActivityEnd::Failed { outcome, failure } => {
                return self.finish_row(
                    key,
                    (reporter, token),
                    outcome,
                    Some(failure),
                    (now, news),
                );
            }
            ActivityEnd::Retry { retry_at, failure: error, details } => {
                row.wait(retry_at);
                row.last_failure = Some(AttemptFailure { attempt: row.attempt, error });
                row.details = details.or_else(|| row.details.take());
            }
            ActivityEnd::Later => row.worker = None,
            ActivityEnd::PutBack { due_at } => {
                row.wait(due_at);
                row.attempt -= 1;
            }
        }
        if row.due_at.is_some() {
            news.queues.insert(row.new.queue.clone());
        }
        token.into_iter().for_each(|token| self.add_key(key.run_id, token));
        FinishOutcome::Finished
    }

    /// Ends an activity, which is kept as a failed call if there is a `failure`.
    fn finish_row(
        &mut self,
        key: ActivityKey,
        (reporter, token): (Reporter, Option<String>),
        outcome: OperationOutcome,
        failure: Option<String>,
        (now, news): (Timestamp, &mut News),
    ) -> FinishOutcome {
        let Some(row) = self.activities.remove(&key) else { return FinishOutcome::Stale };
        if row.worker.is_some() && !matches!(reporter, Reporter::Worker(_)) {
            news.given_up.push(key);
        }
        if let Some((name, retention)) = &row.item {
            let item = PromiseToken::of_item(row.new.activity.clone(), &*row.new.queue, name);
            let (message_key, message) = finish_message(key, item, *retention, outcome);
            self.send(message_key, message, now);
            news.sent.push(key.run_id);
            token.into_iter().for_each(|token| self.add_key(key.run_id, token));
        } else if key.is_item() {
            // No run awaits a call that was put on its queue again.
            self.item_keys.remove(&key.run_id);
        } else {
            let kind = ArrivalKind::Outcome { handle: key.handle, outcome };
            let (run_id, owner) = (key.run_id, None);
            let arrival = NewArrival { run_id, kind, dedup_key: token, owner };
            let delivered = self.deliver(arrival, now, news);
            if !matches!(delivered, ArrivalOutcome::Accepted { .. }) {
                return FinishOutcome::Stale;
            }
        }
        if let Some(failure) = failure {
            self.keep_failed(row.failed(key, failure, now));
        }
        FinishOutcome::Finished
    }

    fn is_entitled(&self, key: ActivityKey, reporter: Reporter, now: Timestamp) -> bool {
        let Some(row) = self.activities.get(&key) else { return false };
        match reporter {
            Reporter::Worker(worker) => row.worker == Some(worker) && self.is_valid(worker, now),
            Reporter::Token => row.due_at.is_none(),
            Reporter::Expiry => row.is_expired(now),
        }
    }

    pub(super) fn expired_activities(&self, limit: u32, now: Timestamp) -> Vec<ExpiredActivity> {
        let mut expired: Vec<_> =
            self.activities.iter().filter(|(_, row)| row.is_expired(now)).collect();
        expired.sort_by_key(|(key, row)| (row.expires_at, **key));
        let mut answer = Answer::default();
        let expired = expired.into_iter().take(limit as usize);
        let expired = expired.take_while(|(_, row)| answer.takes(row.new.call.len()));
        let expired = expired.map(|(key, row)| ExpiredActivity {
            key: *key,
            attempt: row.attempt,
            interruptions: row.interruptions,
            limit: row.expired_limit(now),
            call: row.new.call.clone(),
            now,
        });
        expired.collect()
    }

    pub(super) fn find_activity(&self, key: ActivityKey) -> Option<ActivityRecord> {
        let row = self.activities.get(&key)?;
        Some(ActivityRecord {
            key,
            queue: row.new.queue.clone(),
            activity: row.new.activity.clone(),
            attempt: row.attempt,
            interruptions: row.interruptions,
            worker: row.worker,
            due_at: row.due_at,
            expires_at: row.expires_at,
            call: row.new.call.clone(),
            details: row.details.clone(),
            last_failure: row.last_failure.clone(),
        })
    }
}

fn counted(rooms: &[(&str, u32)]) -> Vec<(String, u32)> {
    rooms.iter().map(|(name, room)| ((*name).to_owned(), *room)).collect()
}

fn borrowed(rooms: &[(String, u32)]) -> Vec<(&str, u32)> {
    rooms.iter().map(|(name, room)| (name.as_str(), *room)).collect()
}
