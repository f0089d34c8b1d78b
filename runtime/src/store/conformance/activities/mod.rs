//! Activities on queues.

mod attempts;
mod batches;
mod expiring;
mod priorities;
mod queues;
mod taking;

use super::Case;

/// The groups of this subject.
pub(super) fn groups() -> Vec<&'static [Case]> {
    vec![
        queues::CASES,
        taking::CASES,
        attempts::CASES,
        batches::CASES,
        expiring::CASES,
        priorities::CASES,
    ]
}
