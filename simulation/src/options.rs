//! The options of a simulation: a seed, and the parts that are left out.

use std::collections::BTreeSet;
use std::fmt;

use piton::store::memory::Guard;

use crate::faults::Fault;

/// The options of one simulation. The seed alone determines everything; the others reduce a violation.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Options {
    /// The seed of all random decisions.
    pub seed: u64,
    /// How many of its runs are started at most.
    pub max_runs: Option<usize>,
    /// How many faults are injected at most.
    pub max_faults: Option<u64>,
    /// Faults that are not injected.
    pub without: BTreeSet<Fault>,
    /// Guards that the database leaves out, for the tests of this crate.
    pub left_out: BTreeSet<Guard>,
    /// Whether events are written down.
    pub is_recorded: bool,
    /// Whether it ends with the first violation.
    pub ends_when_violated: bool,
}

impl Options {
    /// The complete simulation of a seed.
    pub fn of(seed: u64) -> Self {
        Self { seed, ..Self::default() }
    }
}

/// As arguments of the command that replays it.
impl fmt::Display for Options {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{}", self.seed)?;
        if let Some(runs) = self.max_runs {
            write!(f, " --max-runs {runs}")?;
        }
        if let Some(faults) = self.max_faults {
            write!(f, " --max-faults {faults}")?;
        }
        self.without.iter().try_for_each(|fault| write!(f, " --without {fault}"))
    }
}
