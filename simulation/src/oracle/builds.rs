//! The oracle's record of the builds that can read each state.

use std::collections::BTreeSet;
use std::time::Duration;

use piton::machine::{FrameReader, Workflow};
use piton::model::DefinitionHash;
use piton::process::Process;
use piton::store::Disposition;
use tokio::time::Instant;

use crate::workflows::{brittle, cancellable, effort, hasty, interpret, linger, revocable, tick};

/// The builds that can read a run's state, and how often others have blocked it.
#[derive(Debug, Default)]
pub(super) struct Readers {
    /// The hash of its workflow's definition in the first build.
    first: Option<DefinitionHash>,
    /// The hash of the definition of its state; `None` before the first state.
    found: Option<DefinitionHash>,
    /// Whether its compensations are running: its code makes no more steps, so any build can read it.
    is_undone: bool,
    /// The definitions in the builds that have written a part of it.
    builds: BTreeSet<u64>,
    /// Since when it is blocked by a build that cannot read it.
    blocked_at: Option<Instant>,
    /// How often it was blocked since its last step.
    blocks: u64,
    /// The number of workers at that step.
    workers: u64,
}

impl Readers {
    pub(super) fn start(workflow: &str, by: Option<&Process>) -> Self {
        let entries = [
            interpret::entry(),
            hasty::entry(),
            cancellable::entry(),
            revocable::entry(),
            brittle::entry(),
            effort::entry(),
            linger::entry(),
            tick::entry(),
        ];
        let entry = entries.into_iter().find(|entry| entry.name == workflow);
        let first = entry.map(|entry| entry.definition().hash);
        Self { first, builds: BTreeSet::from([build_of(by)]), ..Self::default() }
    }

    /// A step of a process. `workers` is how many there have been so far.
    pub(super) fn step(
        &mut self,
        by: Option<&Process>,
        disposition: &Disposition,
        workers: u64,
    ) -> Result<(), String> {
        let here = self.first.map(|first| by.map_or(first, |process| process.hash_here(first)));
        if self.found.is_some() && self.found != here && !self.is_undone {
            return Err("stepped by a build that cannot read it".to_owned());
        }
        if let Disposition::Keep { snapshot, .. } | Disposition::Park { snapshot, .. } = disposition
        {
            let snapshot = piton::codec::decode_snapshot(snapshot).ok();
            self.is_undone = snapshot.as_ref().is_some_and(|snapshot| snapshot.ending.is_some());
            let frame = snapshot.and_then(|snapshot| FrameReader::new(snapshot.frame).ok());
            self.found = frame.map(|frame| frame.hash());
        }
        self.builds.insert(build_of(by));
        (self.blocks, self.workers) = (0, workers);
        Ok(())
    }

    /// Records that the run was unblocked.
    pub(super) fn unblock(&mut self) {
        self.blocked_at = None;
    }

    /// Whether it has been blocked for so long though `process` has written all of it.
    pub(super) fn waits_for(&self, process: &Process, bound: Duration) -> bool {
        self.blocked_at.is_some_and(|at| at.elapsed() > bound)
            && self.builds.iter().all(|build| *build == build_of(Some(process)))
    }

    /// A process cannot read the state, or a part of it.
    pub(super) fn block(&mut self, by: Option<&Process>, workers: u64) -> Result<(), String> {
        self.blocks += 1;
        self.blocked_at = Some(Instant::now());
        if self.builds.iter().all(|build| *build == build_of(by)) {
            return Err("blocked by a build that has written all of it".to_owned());
        }
        // Each worker tries once when it claims it, once when it looks for blocked runs, and gives all of
        // them another try when it starts.
        if self.blocks > 4 + 4 * (workers - self.workers) {
            return Err(format!("blocked {} times without a step", self.blocks));
        }
        Ok(())
    }
}

/// Which definitions are changed in the build of a process.
fn build_of(process: Option<&Process>) -> u64 {
    process.map_or(u64::MAX, |process| process.hash_here(DefinitionHash(u64::MAX)).0)
}
