//! What arrives for runs.

mod arrivals;

use super::Case;

/// The groups of this subject.
pub(super) fn groups() -> Vec<&'static [Case]> {
    vec![arrivals::CASES]
}
