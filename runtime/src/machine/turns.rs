//! The order in which a `select!` checks its branches: the branch that became ready first comes first.

use super::Context;
use crate::model::{Handle, Operation, Timestamp};

/// When an outcome became available. Smaller values were available earlier.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub enum Arrived {
    /// Only polling shows it. It comes first, so that it is never passed over forever.
    Unknown,
    /// A time that had passed before the last step, which did not poll it.
    Before(Timestamp),
    /// The number of arrivals before it.
    After(u64),
    /// A time that has passed since the last step. Arrivals count as earlier: a result that has arrived is not lost
    /// to its time limit because the run made its step late.
    Now(Timestamp),
    /// It is not available.
    Not,
}

impl Context {
    /// When the outcome of an outstanding operation became available.
    pub(crate) fn arrived(&self, handle: Handle) -> Arrived {
        self.with_operations(|operations| {
            let found = operations.binary_search_by_key(&handle, |(handle, _)| *handle);
            let Ok(index) = found else { return Arrived::Not };
            match &operations[index].1 {
                Operation::Timer { fire_at } if *fire_at > self.now() => Arrived::Not,
                Operation::Timer { fire_at } if *fire_at <= self.last_step_at() => {
                    Arrived::Before(*fire_at)
                }
                Operation::Timer { fire_at } => Arrived::Now(*fire_at),
                other => {
                    let number = self.with_arrivals(|arrivals| arrivals.number_of(handle, other));
                    number.map_or(Arrived::Not, Arrived::After)
                }
            }
        })
    }
}

/// The branches in the order in which they are polled: by when their outcomes became available, and equal ones in
/// source order.
pub fn in_turn<const N: usize>(arrived: [Arrived; N]) -> impl Iterator<Item = usize> {
    let mut order = std::array::from_fn::<usize, N, _>(|index| index);
    order.sort_by_key(|index| arrived[*index]);
    order.into_iter()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_has_been_ready_for_longest_comes_first() {
        let at = Timestamp;
        let arrived = [
            Arrived::Not,
            Arrived::Now(at(5)),
            Arrived::After(7),
            Arrived::After(2),
            Arrived::Before(at(9)),
            Arrived::Unknown,
            Arrived::After(2),
        ];
        assert_eq!(in_turn(arrived).collect::<Vec<_>>(), [5, 4, 3, 6, 2, 1, 0]);
    }
}
