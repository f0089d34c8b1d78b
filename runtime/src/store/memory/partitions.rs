//! Partitioned queues of the in-memory store.

use std::cmp::Reverse;
use std::collections::{BTreeMap, BTreeSet};

use async_trait::async_trait;

use super::queues::count;
use super::state::{News, State};
use super::{Guard, MemoryStore};
use crate::error::StoreError;
use crate::model::Timestamp;
use crate::store::rooms::Rooms;
use crate::store::turns::{MAX_SHARED, Partitioned, UnderWay, Waiting};
use crate::store::weight::Answer;
use crate::store::{
    ActivityKey, ClaimedActivities, PartitionRecord, Partitions, QueueLimits, WorkerLease,
};

#[async_trait]
impl Partitions for MemoryStore {
    async fn limit_queue(&self, queue: &str, limits: QueueLimits) -> Result<(), StoreError> {
        self.transition("limit_queue", |state, _, news| {
            state.partitioned.entry(queue.to_owned()).or_default().limits = limits;
            news.queues.insert(queue.to_owned());
            Ok(())
        })
        .await
    }

    async fn weigh_partition(
        &self,
        queue: &str,
        partition: &str,
        weight: u32,
    ) -> Result<(), StoreError> {
        self.transition("weigh_partition", |state, _, _| {
            state.partitioned.entry(queue.to_owned()).or_default();
            let key = (queue.to_owned(), partition.to_owned());
            state.partitions.entry(key).or_default().weight = weight;
            Ok(())
        })
        .await
    }

    async fn list_partitions(
        &self,
        queue: &str,
        after: Option<&str>,
        limit: u32,
    ) -> Result<Vec<PartitionRecord>, StoreError> {
        self.transition("list_partitions", |state, now, _| {
            let listed = state.list_partitions(queue, now).into_iter();
            let listed = listed.filter(|one| after.is_none_or(|after| &*one.partition > after));
            Ok(listed.take(limit as usize).collect())
        })
        .await
    }
}

/// The weight of a partition, and when its token bucket is full.
pub(super) struct PartitionRow {
    weight: u32,
    full_at: Option<Timestamp>,
}

impl Default for PartitionRow {
    fn default() -> Self {
        Self { weight: 1, full_at: None }
    }
}

impl State {
    fn list_partitions(&self, queue: &str, now: Timestamp) -> Vec<PartitionRecord> {
        let mut records: BTreeMap<&str, PartitionRecord> = BTreeMap::new();
        let new = |name: &str| PartitionRecord::new(name.to_owned());
        for row in self.activities.values().filter(|row| row.queue() == queue) {
            let name = row.partition();
            let record = records.entry(name).or_insert_with(|| new(name));
            let counts = (
                &mut record.waiting,
                &mut record.delayed,
                &mut record.under_way,
                &mut record.awaiting_token,
            );
            count(row, now, counts, &mut record.oldest_due_at);
        }
        for ((of, name), row) in &self.partitions {
            if of == queue && row.weight != 1 {
                records.entry(name).or_insert_with(|| new(name)).weight = row.weight;
            }
        }
        records.into_values().collect()
    }

    /// Takes due activities of one partitioned queue, as far as its limits allow.
    pub(super) fn claim_partitions(
        &mut self,
        (worker, queue): (WorkerLease, &str),
        (rooms, answer): (&mut Rooms<'_>, &mut Answer),
        claimed: &mut ClaimedActivities,
        news: &News<'_>,
    ) {
        let now = claimed.now;
        let Some(mut partitioned) = self.partitioned.get(queue).cloned() else { return };
        if self.lacks(Guard::Limits) {
            partitioned.limits = QueueLimits::default();
        }
        let mut under_way = UnderWay::default();
        let on_queue = self.activities.values().filter(|row| row.queue() == queue);
        let attempts = on_queue.filter(|row| row.worker.is_some());
        attempts.for_each(|row| under_way.begin(row.partition()));
        let waiting = self.waiting(queue, &partitioned, &under_way, rooms, now);
        let room = rooms.left_on(queue).min(MAX_SHARED);
        let mut shares = partitioned.share(waiting, &under_way, room, now);
        let mut any = false;
        for share in shares.shares.clone() {
            let (name, count) = (&*share.of.partition, share.count);
            for key in self.due(queue, name, rooms, now).into_iter().take(count as usize) {
                let Some(row) = self.activities.get_mut(&key) else { continue };
                shares.find(name);
                if rooms.takes(answer, queue, row.activity(), row.bytes() as i64) {
                    row.begin(worker, now);
                    row.tell_attempt(key, worker, false, news);
                    claimed.activities.push(row.claimed(key));
                    under_way.begin(name);
                    shares.take(name);
                    any = true;
                }
            }
        }
        let limits = partitioned.limits;
        if any {
            self.partitioned.entry(queue.to_owned()).or_default().turn = shares.turn.clone();
            let spent = limits.partition_rate.map(|rate| shares.spent(rate, now));
            for (partition, full_at) in spent.into_iter().flatten() {
                let key = (queue.to_owned(), partition);
                self.partitions.entry(key).or_default().full_at = Some(full_at);
            }
        }
        claimed.is_held_back |= under_way.is_held_back(&limits);
        if rooms.left_on(queue) == 0 {
            return;
        }
        let next = match shares.has_more() {
            true => Some(now),
            false => self.next_of_partitions(queue, &limits, rooms, now),
        };
        claimed.next_due_at = claimed.next_due_at.into_iter().chain(next).min();
    }

    /// The partitions that have a due call and that no limit keeps back, from the one whose turn it is on.
    fn waiting(
        &self,
        queue: &str,
        partitioned: &Partitioned,
        under_way: &UnderWay,
        rooms: &Rooms<'_>,
        now: Timestamp,
    ) -> Vec<Waiting> {
        let full = under_way.full(&partitioned.limits);
        let full_by = partitioned.limits.full_by(now);
        let due = self.activities.values().filter(|row| row.queue() == queue);
        let due = due.filter(|row| row.is_due(now) && rooms.left(queue, row.activity()) > 0);
        let names: BTreeSet<&str> = due.map(|row| row.partition()).collect();
        let waiting = names.into_iter().map(|name| {
            let known = self.partitions.get(&(queue.to_owned(), name.to_owned()));
            let (weight, full_at) = known.map_or((1, None), |row| (row.weight, row.full_at));
            Waiting { partition: name.to_owned(), weight, full_at }
        });
        let waiting = waiting.filter(|one| {
            !full.contains(&one.partition) && one.full_at.is_none_or(|full_at| full_at <= full_by)
        });
        let (ahead, behind): (Vec<_>, Vec<_>) =
            waiting.partition(|one| one.partition >= partitioned.turn.partition);
        ahead.into_iter().chain(behind).collect()
    }

    /// The due calls of a partition, in order.
    fn due(
        &self,
        queue: &str,
        partition: &str,
        rooms: &Rooms<'_>,
        now: Timestamp,
    ) -> Vec<ActivityKey> {
        let due = self.activities.iter().filter(|(_, row)| {
            row.queue() == queue
                && row.partition() == partition
                && row.is_due(now)
                && rooms.left(queue, row.activity()) > 0
        });
        let mut due: Vec<_> =
            due.map(|(key, row)| (Reverse(row.priority()), row.due_at, *key)).collect();
        due.sort_unstable();
        due.into_iter().map(|(_, _, key)| key).collect()
    }

    fn next_of_partitions(
        &self,
        queue: &str,
        limits: &QueueLimits,
        rooms: &Rooms<'_>,
        now: Timestamp,
    ) -> Option<Timestamp> {
        let rows = self.activities.values().filter(|row| row.queue() == queue);
        let rows = rows.filter(|row| rooms.left(queue, row.activity()) > 0);
        let due = rows.filter_map(|row| row.due_at).filter(|at| *at > now);
        let full_by = limits.full_by(now);
        let slack = limits.partition_rate.map_or(0, |rate| rate.slack());
        let buckets = self.partitions.iter().filter(|((of, _), _)| of == queue);
        let tokens = buckets.filter_map(|(_, row)| row.full_at).filter(|at| *at > full_by);
        due.chain(tokens.map(|at| Timestamp(at.as_micros() - slack))).min()
    }
}
