//! How the partitions of a queue take turns, decided alike for every store.
//!
//! This is deficit round robin for items of equal size (M. Shreedhar and G. Varghese, "Efficient Fair Queueing Using
//! Deficit Round-Robin", SIGCOMM 1995): the quantum of a partition is its weight. Partitions are visited in the order
//! of their names. The only state is whose turn it is, and how many calls it has had; what a partition cannot use of
//! its turn is lost. So a partition that begins to wait is served within one round, and nothing is kept of one that
//! does not wait.
//!
//! A rate is the time at which the token bucket of a partition is full again, as in the virtual scheduling algorithm
//! of ITU-T I.371.
//!
//! The store has locked the queue and has read the columns; this module does no I/O.

use std::collections::HashMap;

use super::contract::activities::limit_ms;
use super::{QueueLimits, Rate};
use crate::model::Timestamp;

/// The maximum number of activities that one claim takes from one partitioned queue.
pub(super) const MAX_SHARED: u32 = 200;

/// The limits of a partitioned queue, and whose turn it is.
#[derive(Clone, Debug, Default)]
pub(super) struct Partitioned {
    pub(super) limits: QueueLimits,
    pub(super) turn: Turn,
}

/// A turn of a partition.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub(super) struct Turn {
    /// Whose turn it is.
    pub(super) partition: String,
    /// How many calls were taken in this turn.
    pub(super) taken: u32,
}

/// A partition that has a due call, and that no limit keeps back.
#[derive(Clone, Debug)]
pub(super) struct Waiting {
    pub(super) partition: String,
    pub(super) weight: u32,
    /// When its token bucket is full, if it is not.
    pub(super) full_at: Option<Timestamp>,
}

/// The number of attempts under way, by partition.
#[derive(Clone, Debug, Default)]
pub(super) struct UnderWay(pub(super) HashMap<String, u32>);

/// How many calls to take from a partition.
#[derive(Clone, Debug)]
pub(super) struct Share {
    pub(super) of: Waiting,
    /// How many.
    pub(super) count: u32,
    /// Whether a limit allows no more.
    is_all: bool,
    /// How many due calls were found, up to that number, and how many of them were taken.
    found: u32,
    taken: u32,
}

/// How many calls to take from each partition.
#[derive(Clone, Debug, Default)]
pub(super) struct Shares {
    /// Those with a share, in the order of their turns.
    pub(super) shares: Vec<Share>,
    /// Whose turn it is afterwards.
    pub(super) turn: Turn,
    /// Whether there are partitions that wait and have no share.
    left_out: bool,
}

impl Shares {
    /// Whether there is nothing to take.
    #[cfg(any(feature = "sqlite", feature = "postgres"))]
    pub(super) fn is_empty(&self) -> bool {
        self.shares.is_empty()
    }

    fn share(&mut self, partition: &str) -> Option<&mut Share> {
        self.shares.iter_mut().find(|share| share.of.partition == partition)
    }

    /// Counts a due call.
    pub(super) fn find(&mut self, partition: &str) {
        self.share(partition).into_iter().for_each(|share| share.found += 1);
    }

    /// Counts a call that was taken.
    pub(super) fn take(&mut self, partition: &str) {
        self.share(partition).into_iter().for_each(|share| share.taken += 1);
    }

    /// Whether there may be more to take: somebody else has taken or locked some, or a partition had fewer than its
    /// share and another one may have more.
    pub(super) fn has_more(&self) -> bool {
        let are_lost = self.shares.iter().any(|share| share.taken < share.found);
        let is_short = self.shares.iter().any(|share| share.found < share.count);
        let may_have_more = |share: &Share| share.found == share.count && !share.is_all;
        are_lost || is_short && (self.left_out || self.shares.iter().any(may_have_more))
    }

    /// When the token buckets are full from which tokens were taken.
    pub(super) fn spent(&self, rate: Rate, now: Timestamp) -> Vec<(String, Timestamp)> {
        let taken = self.shares.iter().filter(|share| share.taken > 0);
        let spent = taken.map(|share| {
            let full_at = rate.full_after(share.of.full_at, share.taken, now);
            (share.of.partition.clone(), full_at)
        });
        spent.collect()
    }
}

impl UnderWay {
    fn of(&self, partition: &str) -> u32 {
        self.0.get(partition).copied().unwrap_or(0)
    }

    /// How many more attempts the limit of the whole queue allows.
    pub(super) fn room(&self, limits: &QueueLimits) -> u32 {
        let under_way = self.0.values().fold(0, |sum: u32, count| sum.saturating_add(*count));
        limits.max_concurrent.map_or(u32::MAX, |limit| limit.saturating_sub(under_way))
    }

    /// The partitions that have as many attempts under way as they may.
    pub(super) fn full(&self, limits: &QueueLimits) -> Vec<String> {
        let Some(limit) = limits.partition_concurrent else { return Vec::new() };
        let full = self.0.iter().filter(|(_, count)| **count >= limit);
        full.map(|(partition, _)| partition.clone()).collect()
    }

    /// Counts an attempt.
    pub(super) fn begin(&mut self, partition: &str) {
        *self.0.entry(partition.to_owned()).or_default() += 1;
    }

    /// Whether a limit keeps back attempts until another ends.
    pub(super) fn is_held_back(&self, limits: &QueueLimits) -> bool {
        self.room(limits) == 0 || !self.full(limits).is_empty()
    }
}

impl Rate {
    fn period_micros(self) -> i64 {
        limit_ms(self.period).saturating_mul(1_000)
    }

    /// The time in which one token comes, in microseconds.
    fn interval(self) -> i64 {
        (self.period_micros() / i64::from(self.count.max(1))).max(1)
    }

    /// How long before the bucket is full it has its first token, in microseconds.
    pub(super) fn slack(self) -> i64 {
        self.period_micros() - self.interval()
    }

    /// The tokens in a bucket that is full at this time.
    fn tokens(self, full_at: Option<Timestamp>, now: Timestamp) -> u32 {
        let lacking = full_at.map_or(0, |at| at.as_micros().saturating_sub(now.as_micros()));
        let tokens = (self.period_micros() - lacking.max(0)).max(0) / self.interval();
        u32::try_from(tokens).unwrap_or(u32::MAX)
    }

    /// When the bucket is full after so many tokens were taken.
    pub(super) fn full_after(
        self,
        full_at: Option<Timestamp>,
        count: u32,
        now: Timestamp,
    ) -> Timestamp {
        let from = full_at.map_or(now, |at| at.max(now)).as_micros();
        Timestamp(from.saturating_add(self.interval().saturating_mul(i64::from(count))))
    }
}

impl QueueLimits {
    /// The time until which the bucket of a partition must be full for the partition to have a token now.
    pub(super) fn full_by(&self, now: Timestamp) -> Timestamp {
        let slack = self.partition_rate.map_or(i64::MAX, Rate::slack);
        Timestamp(now.as_micros().saturating_add(slack))
    }
}

impl Partitioned {
    /// Divides so many places among the partitions that wait, given from the one whose turn it is on, in the order of
    /// their names. If there are more than `room` of them, the first `room + 1` suffice.
    pub(super) fn share(
        &self,
        mut waiting: Vec<Waiting>,
        under_way: &UnderWay,
        room: u32,
        now: Timestamp,
    ) -> Shares {
        let mut taken = match waiting.first() {
            Some(first) if first.partition == self.turn.partition => self.turn.taken,
            _ => 0,
        };
        let is_cut = waiting.len() > room as usize;
        if waiting.first().is_some_and(|first| taken >= first.weight) {
            let first = waiting.remove(0);
            // The partitions between the last one of the list and this one are not known.
            waiting.extend((!is_cut).then_some(first));
            taken = 0;
        }
        let left = waiting.iter().map(|one| self.left(one, under_way, now)).collect::<Vec<_>>();
        let mut counts = vec![0; waiting.len()];
        let mut turn = self.turn.clone();
        let mut room = room.min(under_way.room(&self.limits));
        let mut has_more = room > 0;
        while has_more {
            has_more = false;
            for (at, one) in waiting.iter().enumerate() {
                let quantum = one.weight.saturating_sub(taken);
                let count = quantum.min(left[at] - counts[at]).min(room);
                if count > 0 {
                    turn = Turn { partition: one.partition.clone(), taken: taken + count };
                }
                (counts[at], room, taken) = (counts[at] + count, room - count, 0);
                has_more |= count > 0;
                if room == 0 {
                    has_more = false;
                    break;
                }
            }
        }
        let shares = waiting.into_iter().zip(counts.iter().zip(left));
        let shares = shares.map(|(of, (count, left))| {
            let (count, is_all) = (*count, *count == left);
            Share { of, count, is_all, found: 0, taken: 0 }
        });
        let shares: Vec<_> = shares.filter(|share| share.count > 0).collect();
        let left_out = is_cut || shares.len() < counts.len();
        Shares { shares, turn, left_out }
    }

    /// How many more attempts may begin in a partition.
    fn left(&self, one: &Waiting, under_way: &UnderWay, now: Timestamp) -> u32 {
        let places = self.limits.partition_concurrent.unwrap_or(u32::MAX);
        let places = places.saturating_sub(under_way.of(&one.partition));
        let tokens =
            self.limits.partition_rate.map_or(u32::MAX, |rate| rate.tokens(one.full_at, now));
        places.min(tokens)
    }
}

#[cfg(test)]
mod tests {
    use std::time::Duration;

    use super::*;

    const NOW: Timestamp = Timestamp(1_000_000_000);

    fn waiting(names: &[(&str, u32)]) -> Vec<Waiting> {
        let waiting = names.iter().map(|(name, weight)| Waiting {
            partition: (*name).to_owned(),
            weight: *weight,
            full_at: None,
        });
        waiting.collect()
    }

    /// Who is served in so many claims of so many places each, if all wait for ever.
    fn served(names: &[(&str, u32)], limits: QueueLimits, claims: usize, room: u32) -> String {
        let mut queue = Partitioned { limits, turn: Turn::default() };
        let mut all = String::new();
        for _ in 0..claims {
            let mut ring = waiting(names);
            let turn = ring.iter().position(|one| one.partition >= queue.turn.partition);
            ring.rotate_left(turn.unwrap_or(0));
            ring.truncate(room as usize + 1);
            let shares = queue.share(ring, &UnderWay::default(), room, NOW);
            for share in &shares.shares {
                all += &share.of.partition.repeat(share.count as usize);
            }
            queue.turn = shares.turn;
        }
        all
    }

    #[test]
    fn partitions_take_turns_by_weight_however_many_places_there_are() {
        let names = [("a", 1), ("b", 3), ("c", 1)];
        let none = QueueLimits::default();
        assert_eq!(served(&names, none, 10, 1), "abbbcabbbc");
        assert_eq!(served(&names, none, 5, 2), "abbbcabbbc");
        assert_eq!(served(&names, none, 1, 10), "aabbbbbbcc");
        assert_eq!(served(&names, none, 4, 7).chars().filter(|one| *one == 'b').count(), 17);
    }

    #[test]
    fn a_limit_of_a_partition_leaves_its_turn_to_others() {
        let limits = QueueLimits::default().partition_concurrent(2);
        assert_eq!(served(&[("a", 5), ("b", 1)], limits, 1, 9), "aabb");
    }

    #[test]
    fn a_bucket_has_the_tokens_of_one_period() {
        let rate = Rate { count: 4, period: Duration::from_secs(1) };
        assert_eq!(rate.tokens(None, NOW), 4);
        let full_at = Some(rate.full_after(None, 4, NOW));
        assert_eq!(rate.tokens(full_at, NOW), 0);
        let later = |ms| NOW + Duration::from_millis(ms);
        assert_eq!(rate.tokens(full_at, later(249)), 0);
        assert_eq!(rate.tokens(full_at, later(250)), 1);
        assert_eq!(rate.tokens(full_at, later(5_000)), 4);
        let limits = QueueLimits::default().partition_rate(4, Duration::from_secs(1));
        assert!(full_at > Some(limits.full_by(later(249))), "there is none");
        assert!(full_at <= Some(limits.full_by(later(250))), "there is one");
    }

    #[test]
    fn the_limit_of_the_queue_counts_all_partitions() {
        let limits = QueueLimits::default().max_concurrent(5);
        let queue = Partitioned { limits, turn: Turn::default() };
        let under_way = UnderWay([("a".to_owned(), 2), ("z".to_owned(), 2)].into());
        let shares = queue.share(waiting(&[("a", 9), ("b", 9)]), &under_way, 100, NOW);
        assert_eq!(shares.shares.iter().map(|share| share.count).sum::<u32>(), 1);
        assert!(!under_way.is_held_back(&limits));
    }
}
