//! Arrivals, messages between runs, and dead letters.

mod arrivals;
mod children;
mod children_of_chains;
mod dead_letters;
mod leftovers;
mod outbox;
mod updates;

pub(super) use self::outbox::to;
use super::Case;

/// The groups of this subject.
pub(super) fn groups() -> Vec<&'static [Case]> {
    vec![
        arrivals::CASES,
        outbox::CASES,
        children::CASES,
        children_of_chains::CASES,
        dead_letters::CASES,
        leftovers::CASES,
        updates::CASES,
    ]
}
