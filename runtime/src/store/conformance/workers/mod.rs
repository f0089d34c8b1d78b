//! Workers, leases and the right to write.

mod guarding;
mod ownership;

use super::Case;

/// The groups of this subject.
pub(super) fn groups() -> Vec<&'static [Case]> {
    vec![ownership::CASES, guarding::CASES]
}
