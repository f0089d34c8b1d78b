//! The waits of a parked run.

use serde::{Deserialize, Serialize};

use super::{Handle, Timestamp};

/// A condition over outstanding operations. The run makes its next step when it is true.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub enum Wait {
    /// This operation has an outcome.
    One(Handle),
    /// At least one of these is true. Empty: never.
    Any(Vec<Wait>),
    /// All of these are true. Empty: at once.
    All(Vec<Wait>),
    /// This number of activities has ended, or this number has failed.
    Outcomes(Box<Outcomes>),
}

/// A condition over the outcomes of activities.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Outcomes {
    /// The activities, in the order of their requests.
    pub of: Vec<Handle>,
    /// True if at least this number of them has ended.
    pub ended: u32,
    /// Also true if at least this number of them has failed.
    pub failed: u32,
    /// The maximum number of them that the run's owner executes at the same time, in the order of their requests.
    pub at_once: u32,
}

/// The arrived outcomes, as seen by conditions.
pub trait Came {
    /// Whether the operation has an outcome.
    fn has(&self, handle: Handle) -> bool;

    /// Whether it is an activity that has failed.
    fn has_failed(&self, _: Handle) -> bool {
        false
    }

    /// Upper limits of how many activities have ended, and of how many of these have failed. A condition over many
    /// activities is evaluated when it may be true, and not each time one has ended.
    fn at_most(&self) -> (usize, usize) {
        (usize::MAX, usize::MAX)
    }
}

impl<F: Fn(Handle) -> bool> Came for F {
    fn has(&self, handle: Handle) -> bool {
        self(handle)
    }
}

impl Outcomes {
    fn is_met(&self, came: &impl Came) -> bool {
        let (ended, failed) = came.at_most();
        let enough = |wanted: u32| usize::try_from(wanted).unwrap_or(usize::MAX);
        let reaches = |wanted: u32, most: usize, holds: &dyn Fn(Handle) -> bool| {
            let wanted = enough(wanted);
            most >= wanted && self.of.iter().filter(|of| holds(**of)).take(wanted).count() >= wanted
        };
        reaches(self.ended, ended, &|of| came.has(of))
            || reaches(self.failed, failed, &|of| came.has_failed(of))
    }
}

impl Wait {
    /// Whether the condition is true, given which operations have outcomes.
    pub fn is_met(&self, came: &impl Came) -> bool {
        match self {
            Self::One(handle) => came.has(*handle),
            Self::Any(waits) => waits.iter().any(|wait| wait.is_met(came)),
            Self::All(waits) => waits.iter().all(|wait| wait.is_met(came)),
            Self::Outcomes(outcomes) => outcomes.is_met(came),
        }
    }

    /// When the condition becomes true, given when each operation has its outcome; `None` if that is not known of
    /// an operation that it needs. It is never known when activities end.
    pub fn met_at(&self, at: &impl Fn(Handle) -> Option<Timestamp>) -> Option<Timestamp> {
        match self {
            Self::One(handle) => at(*handle),
            Self::Any(waits) => waits.iter().filter_map(|wait| wait.met_at(at)).min(),
            Self::All(waits) => waits
                .iter()
                .try_fold(Timestamp::MIN, |latest, wait| Some(latest.max(wait.met_at(at)?))),
            Self::Outcomes(_) => None,
        }
    }

    /// Calls `visit` with every operation in the condition.
    pub fn for_each(&self, visit: &mut impl FnMut(Handle)) {
        match self {
            Self::One(handle) => visit(*handle),
            Self::Any(waits) | Self::All(waits) => {
                waits.iter().for_each(|wait| wait.for_each(visit));
            }
            Self::Outcomes(outcomes) => outcomes.of.iter().for_each(|handle| visit(*handle)),
        }
    }

    /// Calls `visit` with every condition over outcomes in it.
    pub fn for_each_outcomes(&self, visit: &mut impl FnMut(&Outcomes)) {
        match self {
            Self::One(_) => {}
            Self::Any(waits) | Self::All(waits) => {
                waits.iter().for_each(|wait| wait.for_each_outcomes(visit));
            }
            Self::Outcomes(outcomes) => visit(outcomes),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn conditions_nest() {
        let [a, b, c] = [0, 1, 2].map(|n| Wait::One(Handle(n)));
        let wait = Wait::Any(vec![Wait::All(vec![a, b]), c]);
        let met = |arrived: &[u64]| wait.is_met(&|handle: Handle| arrived.contains(&handle.0));
        assert!(!met(&[]));
        assert!(!met(&[0]));
        assert!(met(&[0, 1]));
        assert!(met(&[2]));
        assert!(Wait::All(vec![]).is_met(&|_| false));
        assert!(!Wait::Any(vec![]).is_met(&|_| true));
    }

    #[test]
    fn enough_outcomes_or_failures_meet_a_condition() {
        struct Ended(Vec<u64>, Vec<u64>);
        impl Came for Ended {
            fn has(&self, handle: Handle) -> bool {
                self.0.contains(&handle.0) || self.has_failed(handle)
            }

            fn has_failed(&self, handle: Handle) -> bool {
                self.1.contains(&handle.0)
            }
        }
        let of = [1, 2, 3, 4].map(Handle).to_vec();
        let outcomes = Outcomes { of, ended: 3, failed: 2, at_once: 4 };
        let wait = Wait::All(vec![Wait::Outcomes(Box::new(outcomes))]);
        assert!(!wait.is_met(&Ended(vec![1, 9], vec![2])));
        assert!(wait.is_met(&Ended(vec![1, 3], vec![2])));
        assert!(wait.is_met(&Ended(vec![], vec![2, 4])));
        assert!(!wait.is_met(&Ended(vec![7, 8, 9], vec![7, 8])));
    }

    #[test]
    fn a_condition_over_timers_tells_its_time() {
        let [a, b, c] = [0, 1, 2].map(|n| Wait::One(Handle(n)));
        let at = |handle: Handle| (handle.0 != 2).then(|| Timestamp(10 * (1 + handle.0 as i64)));
        assert_eq!(Wait::All(vec![a.clone(), b.clone()]).met_at(&at), Some(Timestamp(20)));
        assert_eq!(Wait::All(vec![a.clone(), c.clone()]).met_at(&at), None);
        assert_eq!(Wait::Any(vec![b, c, a]).met_at(&at), Some(Timestamp(10)));
        assert_eq!(Wait::All(vec![]).met_at(&at), Some(Timestamp::MIN));
        assert_eq!(Wait::Any(vec![]).met_at(&at), None);
    }
}
