//! The order in which a `select!` checks its branches: the branch that became ready first comes first.

use super::Context;
use crate::model::{Handle, Operation, Timestamp};

/// Since when an operation has had something to deliver. What is less has been there for longer.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub enum Arrived {
    /// Only a look will tell. It comes first, so that it is never passed over for good.
    Unknown,
    /// A time that had passed before the last step, and for which nobody had an eye then.
    Before(Timestamp),
    /// This many arrivals had come to the run before it did.
    After(u64),
    /// A time that has passed since the last step. What has come by now counts as before it: a result that is there
    /// is not lost to its time limit because the run did not get to look in time.
    Now(Timestamp),
    /// Nothing is there.
    Not,
}

impl Context {
    /// Since when an outstanding operation has had something to deliver.
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

/// The numbers of branches in the order in which they are looked at: by what is known of their outcomes, and those
/// that are alike in the order of the source.
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
