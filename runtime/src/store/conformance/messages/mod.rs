//! Arrivals, messages between runs, and dead letters.

mod arrivals;
mod children;
mod dead_letters;
mod outbox;
mod updates;

pub(super) use self::outbox::to;
use super::Case;

/// The groups of this subject.
pub(super) fn groups() -> Vec<&'static [Case]> {
    vec![arrivals::CASES, outbox::CASES, children::CASES, dead_letters::CASES, updates::CASES]
}
