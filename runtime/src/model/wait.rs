//! What a parked run waits for.

use serde::{Deserialize, Serialize};

use super::{Handle, Timestamp};

/// A condition over outstanding operations. A run is stepped when it holds.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub enum Wait {
    /// This operation has something to deliver.
    One(Handle),
    /// At least one of these holds. Empty: never.
    Any(Vec<Wait>),
    /// All of these hold. Empty: at once.
    All(Vec<Wait>),
}

impl Wait {
    /// Whether the condition holds, given which operations have something to deliver.
    pub fn is_met(&self, arrived: &impl Fn(Handle) -> bool) -> bool {
        match self {
            Self::One(handle) => arrived(*handle),
            Self::Any(waits) => waits.iter().any(|wait| wait.is_met(arrived)),
            Self::All(waits) => waits.iter().all(|wait| wait.is_met(arrived)),
        }
    }

    /// When the condition holds, given since or from when each operation has something to deliver;
    /// `None` if that is not known of an operation that it needs.
    pub fn met_at(&self, at: &impl Fn(Handle) -> Option<Timestamp>) -> Option<Timestamp> {
        match self {
            Self::One(handle) => at(*handle),
            Self::Any(waits) => waits.iter().filter_map(|wait| wait.met_at(at)).min(),
            Self::All(waits) => waits
                .iter()
                .try_fold(Timestamp::MIN, |latest, wait| Some(latest.max(wait.met_at(at)?))),
        }
    }

    /// Calls `visit` with every operation named in the condition.
    pub fn for_each(&self, visit: &mut impl FnMut(Handle)) {
        match self {
            Self::One(handle) => visit(*handle),
            Self::Any(waits) | Self::All(waits) => {
                waits.iter().for_each(|wait| wait.for_each(visit));
            }
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
