//! The oracle's record of the queued attempts that each process makes and has begun.

use std::collections::BTreeMap;

use tokio::time::Instant;

use super::Oracle;
use crate::world::QueueLimits;

/// See the [module documentation](self).
#[derive(Debug, Default)]
pub(super) struct Crowds(BTreeMap<String, Process>);

#[derive(Debug)]
struct Process {
    lives_since: Instant,
    /// The attempts from each queue.
    queues: BTreeMap<&'static str, Crowd>,
}

#[derive(Debug, Default)]
struct Crowd {
    /// The number of running attempts.
    now: usize,
    /// The number of begun attempts.
    begun: u32,
}

impl Crowds {
    pub(super) fn lives(&mut self, who: &str) {
        let process = Process { lives_since: Instant::now(), queues: BTreeMap::new() };
        self.0.insert(who.to_owned(), process);
    }

    pub(super) fn ends(&mut self, who: &str, queue: &'static str) {
        let crowd = self.0.get_mut(who).and_then(|process| process.queues.get_mut(queue));
        crowd.into_iter().for_each(|crowd| crowd.now -= 1);
    }

    /// Records one more attempt. Returns a violation.
    fn begins(&mut self, who: &str, queue: &'static str, limits: QueueLimits) -> Option<String> {
        let process = self.0.get_mut(who)?;
        let crowd = process.queues.entry(queue).or_default();
        (crowd.now, crowd.begun) = (crowd.now + 1, crowd.begun + 1);
        let Crowd { now, begun } = *crowd;
        if now > limits.places {
            return Some(format!("{who} makes {now} attempts from {queue} at a time"));
        }
        let rate = limits.per_second?;
        // Those of one second may begin at once.
        let most = rate.max(1.0) + process.lives_since.elapsed().as_secs_f64() * rate;
        (f64::from(begun) > most + 1e-6).then(|| {
            format!("{who} has begun {begun} attempts from {queue}, and at most {most:.2} may be")
        })
    }
}

impl Oracle {
    /// The process `who` begins an attempt from a queue of which it takes on so much.
    pub(crate) fn begins_one_of(&mut self, who: &str, queue: &'static str, limits: QueueLimits) {
        let violation = self.crowds.begins(who, queue, limits);
        violation.into_iter().for_each(|violation| self.violate(violation));
    }
}
