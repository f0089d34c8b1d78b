//! Runs: they are started, owned, stepped and ended.

mod asking_again;
mod blocked;
pub(super) mod chains;
mod claiming;
mod closing;
mod committing;
mod editing;
mod parking;
mod recovering;
mod starting;

use super::Case;

/// The groups of this subject.
pub(super) fn groups() -> Vec<&'static [Case]> {
    vec![
        starting::CASES,
        claiming::CASES,
        recovering::CASES,
        committing::CASES,
        parking::CASES,
        blocked::CASES,
        asking_again::CASES,
        editing::CASES,
        closing::CASES,
        chains::CASES,
    ]
}
