//! The capacities in a worker's claim of activities.

use std::collections::HashMap;

use super::ClaimActivities;
use super::weight::Answer;

/// The remaining capacities while activities are being chosen.
pub(super) struct Rooms<'a> {
    queues: HashMap<&'a str, u32>,
    activities: HashMap<&'a str, u32>,
    limit: u32,
}

impl<'a> Rooms<'a> {
    pub(super) fn of(request: &ClaimActivities<'a>) -> Self {
        Self {
            queues: request.queues.iter().copied().collect(),
            activities: request.activities.iter().copied().collect(),
            limit: request.limit,
        }
    }

    /// The capacities that are left, and the size of the response, after these were claimed.
    #[cfg(any(feature = "sqlite", feature = "postgres"))]
    pub(super) fn after(
        request: &ClaimActivities<'a>,
        claimed: &[super::ClaimedActivity],
    ) -> (Self, Answer) {
        use super::weight::Weight as _;
        let (mut rooms, mut answer) = (Self::of(request), Answer::default());
        for one in claimed {
            rooms.take(&one.queue, &one.activity);
            answer.takes(one.call.len() + one.details.weight());
        }
        (rooms, answer)
    }

    /// How many of this activity may be taken from this queue.
    pub(super) fn left(&self, queue: &str, activity: &str) -> u32 {
        let room = |rooms: &HashMap<&str, u32>, name| rooms.get(name).copied().unwrap_or(0);
        room(&self.queues, queue).min(room(&self.activities, activity)).min(self.limit)
    }

    /// How many may be taken from this queue.
    pub(super) fn left_on(&self, queue: &str) -> u32 {
        self.queues.get(queue).copied().unwrap_or(0).min(self.limit)
    }

    /// The activities of which some may be taken, in order.
    #[cfg(any(feature = "sqlite", feature = "postgres"))]
    pub(super) fn activities(&self) -> Vec<String> {
        let left = self.activities.iter().filter(|(_, room)| **room > 0);
        let mut names: Vec<String> = left.map(|(name, _)| (*name).to_owned()).collect();
        names.sort_unstable();
        names
    }

    /// Takes one of this size, if there is capacity and it fits in the response.
    pub(super) fn takes(
        &mut self,
        answer: &mut Answer,
        queue: &str,
        activity: &str,
        bytes: i64,
    ) -> bool {
        self.left(queue, activity) > 0
            && answer.takes(usize::try_from(bytes).unwrap_or_default())
            && self.take(queue, activity)
    }

    /// Takes one, if there is capacity.
    pub(super) fn take(&mut self, queue: &str, activity: &str) -> bool {
        if self.left(queue, activity) == 0 {
            return false;
        }
        let rooms = [self.queues.get_mut(queue), self.activities.get_mut(activity)];
        rooms.into_iter().flatten().for_each(|room| *room -= 1);
        self.limit -= 1;
        true
    }
}
