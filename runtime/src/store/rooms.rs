//! The capacities in a worker's claim of activities.

use std::collections::HashMap;

use super::ClaimActivities;

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

    /// How many of this activity may be taken from this queue.
    pub(super) fn left(&self, queue: &str, activity: &str) -> u32 {
        let room = |rooms: &HashMap<&str, u32>, name| rooms.get(name).copied().unwrap_or(0);
        room(&self.queues, queue).min(room(&self.activities, activity)).min(self.limit)
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
