//! Blocked runs that this build can go on with.
//!
//! A run is blocked by a worker that cannot read its state or does not have its activity. While workers
//! of several builds run, as they do during a deployment, others can: they take such runs over from the
//! database, not by claims, which the worker that cannot go on might win again.

use std::collections::BTreeMap;
use std::hash::{DefaultHasher, Hash as _, Hasher as _};
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};

use tracing::info;

use super::claim::INBOX_PAGE;
use super::driver::Origin;
use super::registry::Registry;
use super::session::Session;
use crate::codec;
use crate::error::StoreError;
use crate::model::{BlockedReason, RunId};
use crate::store::BlockedRun;

/// How many blocked runs are looked at in one go. Others have their turn the next time.
const PAGE: u32 = 50;

/// How many runs are remembered.
const MAX_REMEMBERED: usize = 10_000;

/// What a session has looked at.
#[derive(Debug, Default)]
pub(crate) struct Looked(Mutex<Progress>);

#[derive(Debug, Default)]
struct Progress {
    /// The last run looked at, if there are more behind it.
    after: Option<RunId>,
    /// The states that were taken over, each by the run and a hash.
    adopted: BTreeMap<RunId, u64>,
    /// Those of them that this build could not go on with after all. They would be blocked for ever.
    tried: BTreeMap<RunId, u64>,
}

/// Takes over some of the blocked runs that this build can go on with, as far as there is room.
pub(crate) async fn adopt_blocked(session: &Arc<Session>) -> Result<(), StoreError> {
    let registry = &session.host.registry;
    if registry.workflow_names().is_empty() {
        return Ok(());
    }
    let after = session.blocked.lock().after;
    let found = session.store.find_blocked(registry.workflow_names(), after, PAGE).await?;
    let states: BTreeMap<RunId, u64> = {
        let mut progress = session.blocked.lock();
        let is_last = found.len() < PAGE as usize;
        progress.after = found.last().filter(|_| !is_last).map(|run| run.run_id);
        let able = found.iter().filter(|run| can_go_on(registry, run));
        let states = able.map(|run| (run.run_id, hash_of(&run.snapshot)));
        states.filter(|(run_id, hash)| progress.tried.get(run_id) != Some(hash)).collect()
    };
    let room = session.capacity.available_permits().min(states.len());
    let permits = Arc::clone(&session.capacity).try_acquire_many_owned(room as u32);
    let Some(mut permits) = permits.ok().filter(|_| room > 0) else { return Ok(()) };
    let wanted: Vec<RunId> = states.keys().take(room).copied().collect();
    let _claiming = session.claiming.lock().await;
    let heard = session.store.hub().arrivals();
    let adopted = session.store.adopt_blocked(session.lease(), &wanted, INBOX_PAGE).await;
    // The answer may be what was lost.
    let adopted = adopted.inspect_err(|_| session.strays.note())?;
    for run in adopted {
        let Some(permit) = permits.split(1) else { break };
        info!(run_id = %run.run_id, "goes on with a blocked run");
        session.blocked.lock().adopt(run.run_id, states[&run.run_id]);
        session.drive(Origin::Claimed { run, heard }, permit);
    }
    Ok(())
}

/// Whether what another build lacked is here.
fn can_go_on(registry: &Registry, run: &BlockedRun) -> bool {
    match &run.reason {
        BlockedReason::Unregistered(activity) => registry.activity(activity).is_some(),
        BlockedReason::Undecodable(_) => registry.workflow(&run.workflow).is_some_and(|entry| {
            codec::decode_snapshot(&run.snapshot)
                .is_ok_and(|it| entry.check_frame(&it.frame).is_ok())
        }),
        // Of these the store tells nothing.
        BlockedReason::Panicked(_) | BlockedReason::Invalid(_) => false,
    }
}

fn hash_of(snapshot: &[u8]) -> u64 {
    let mut hasher = DefaultHasher::new();
    snapshot.hash(&mut hasher);
    hasher.finish()
}

impl Progress {
    fn adopt(&mut self, run_id: RunId, state: u64) {
        if self.adopted.len() + self.tried.len() >= MAX_REMEMBERED {
            self.adopted.clear();
            self.tried.clear();
        }
        self.adopted.insert(run_id, state);
    }
}

impl Looked {
    /// Takes note that this session blocks the run.
    pub(crate) fn note_blocked(&self, run_id: RunId) {
        let mut progress = self.lock();
        if let Some(state) = progress.adopted.remove(&run_id) {
            progress.tried.insert(run_id, state);
        }
    }

    fn lock(&self) -> MutexGuard<'_, Progress> {
        // Whole after every operation, so a panic elsewhere does not spoil it.
        self.0.lock().unwrap_or_else(PoisonError::into_inner)
    }
}
