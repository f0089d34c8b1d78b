//! The results of simulations.

use std::collections::BTreeMap;
use std::fmt;

use crate::faults::Fault;
use crate::options::Options;
use crate::world::World;

/// The result of one simulation.
#[derive(Clone, Debug)]
pub struct Report {
    /// The options.
    pub options: Options,
    /// Runs that were started.
    pub runs: u64,
    /// Steps that were committed.
    pub steps: u64,
    /// How often each fault struck.
    pub faults: BTreeMap<Fault, u64>,
    /// The violations.
    pub violations: Vec<String>,
    /// The events, if they were recorded.
    pub events: String,
}

impl Report {
    pub(crate) fn of(options: &Options, world: &World) -> Self {
        let counts = world.database.counts();
        Self {
            options: options.clone(),
            runs: counts.run_inserts,
            steps: counts.step_updates,
            faults: world.faults.struck(),
            violations: world.violations(),
            events: world.journal.text(),
        }
    }
}

/// What came of many simulations.
#[derive(Clone, Debug, Default)]
pub struct Totals {
    /// Seeds simulated.
    pub seeds: u64,
    /// Runs that were started.
    pub runs: u64,
    /// Steps that were committed.
    pub steps: u64,
    /// How often each fault struck.
    pub faults: BTreeMap<Fault, u64>,
}

impl Totals {
    /// Adds one simulation.
    pub fn add(&mut self, report: &Report) {
        self.seeds += 1;
        self.runs += report.runs;
        self.steps += report.steps;
        for (fault, struck) in &report.faults {
            *self.faults.entry(*fault).or_default() += struck;
        }
    }
}

impl fmt::Display for Totals {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let Self { seeds, runs, steps, faults } = self;
        writeln!(f, "{seeds} seeds, {runs} runs, {steps} steps")?;
        for (fault, struck) in faults {
            writeln!(f, "{struck:>12}  {fault}")?;
        }
        Ok(())
    }
}
