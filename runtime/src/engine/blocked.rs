//! Adopting blocked runs that this build can continue.
//!
//! A worker blocks a run if its build cannot read the state or lacks an activity. During a deployment, workers of
//! several builds run side by side, and a worker of another build may be able to continue the run. It looks for
//! such runs and takes them over in one transition. If it only unblocked them, the next claim might be that of the
//! worker that blocked them.

use std::collections::BTreeMap;
use std::hash::{DefaultHasher, Hash as _, Hasher as _};
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};

use tracing::info;

use super::driver::{INBOX_PAGE, Origin};
use super::evolution;
use super::registry::Registry;
use super::session::Session;
use crate::codec;
use crate::error::StoreError;
use crate::model::{BlockedReason, RunId, StepNo};
use crate::store::{BlockedRun, MAX_ANSWER_BYTES};

/// The number of blocked runs to look at in one round; the others follow in later rounds.
const PAGE: u32 = 50;

/// The maximum number of runs to remember.
const MAX_REMEMBERED: usize = 10_000;

/// The progress of a session's search.
#[derive(Debug, Default)]
pub(crate) struct Looked(Mutex<Progress>);

#[derive(Debug, Default)]
struct Progress {
    /// The last run looked at, if there are more after it.
    after: Option<RunId>,
    /// Blocked runs, by id and step, that this build cannot continue. An idle worker meets them again in every
    /// round and need not read their states again.
    looked_at: BTreeMap<RunId, StepNo>,
    /// The states of runs that were taken over: run id and hash.
    adopted: BTreeMap<RunId, u64>,
    /// Those of them that this build could not continue after all. They would be taken over and blocked again
    /// forever, since the step number differs each time and the state does not.
    tried: BTreeMap<RunId, u64>,
}

/// Takes over blocked runs that this build can continue, as far as there is room.
pub(crate) async fn adopt_blocked(session: &Arc<Session>) -> Result<(), StoreError> {
    let registry = &session.host.registry;
    let room = session.capacity.available_permits();
    if registry.workflow_names().is_empty() || room == 0 {
        return Ok(());
    }
    let states = find_states(session, room).await?;
    let permits = Arc::clone(&session.capacity).try_acquire_many_owned(states.len() as u32);
    let Some(mut permits) = permits.ok().filter(|_| !states.is_empty()) else { return Ok(()) };
    let wanted: Vec<RunId> = states.keys().copied().collect();
    let _claiming = session.claiming.lock().await;
    let heard = session.store.hub().arrivals();
    let adopted = session.store.adopt_blocked(session.lease(), &wanted, INBOX_PAGE).await;
    // The lost response may be that of the last claim.
    let adopted = adopted.inspect_err(|_| session.strays.note())?;
    for run in adopted {
        let Some(permit) = permits.split(1) else { break };
        info!(run_id = %run.run_id, "continues a blocked run");
        session.blocked.lock().adopt(run.run_id, states[&run.run_id]);
        session.drive(Origin::Claimed { run, heard }, permit);
    }
    Ok(())
}

/// Runs that this build can continue, at most `room`, each with the hash of its state.
async fn find_states(session: &Session, room: usize) -> Result<BTreeMap<RunId, u64>, StoreError> {
    let registry = &session.host.registry;
    let after = session.blocked.lock().after;
    let mut found = session.store.find_blocked(registry.workflow_names(), after, PAGE).await?;
    let is_last = found.len() < PAGE as usize;
    let last = found.last().filter(|_| !is_last).map(|run| run.run_id);
    {
        let progress = session.blocked.lock();
        found.retain(|run| progress.looked_at.get(&run.run_id) != Some(&run.step_no));
    }
    let (mut states, mut bytes) = (BTreeMap::new(), 0);
    for run in found {
        if states.len() == room || bytes >= MAX_ANSWER_BYTES {
            // The others follow when there is room again.
            return Ok(states);
        }
        let state = match may_go_on(registry, &run.reason) {
            true => session.store.find_snapshot(run.run_id).await?,
            false => None,
        };
        let able = match state {
            Some(state) if can_go_on(session, &run, &state).await? => Some(state),
            _ => None,
        };
        bytes += able.as_ref().map_or(0, Vec::len);
        session.blocked.lock().look(&run, able.map(|state| hash_of(&state)), &mut states);
    }
    session.blocked.lock().after = last;
    Ok(states)
}

/// Whether this build may have what another one lacked, judging by the reason.
fn may_go_on(registry: &Registry, reason: &BlockedReason) -> bool {
    match reason {
        BlockedReason::Unregistered(activity) => registry.activity(activity).is_some(),
        BlockedReason::Undecodable(_) | BlockedReason::Evolution(_) => true,
        // The store does not return runs with these reasons.
        BlockedReason::Panicked(_) | BlockedReason::Invalid(_) | BlockedReason::WorkersDied(_) => {
            false
        }
    }
}

/// Whether this build can continue the state.
async fn can_go_on(
    session: &Session,
    run: &BlockedRun,
    snapshot: &[u8],
) -> Result<bool, StoreError> {
    if let BlockedReason::Unregistered(_) = run.reason {
        return Ok(true);
    }
    let versions = session.host.registry.versions(&run.workflow);
    let Ok(mut snapshot) = codec::decode_snapshot(snapshot) else { return Ok(false) };
    if versions.is_empty() {
        return Ok(false);
    }
    let evolved = evolution::evolve(&*session.store, versions, &mut snapshot).await?;
    Ok(evolved.is_ok())
}

fn hash_of(snapshot: &[u8]) -> u64 {
    let mut hasher = DefaultHasher::new();
    snapshot.hash(&mut hasher);
    hasher.finish()
}

impl Progress {
    /// Records what was seen of a run. `state` is the hash of a state that this build can read; it is added to
    /// `states` unless it was tried before.
    fn look(&mut self, run: &BlockedRun, state: Option<u64>, states: &mut BTreeMap<RunId, u64>) {
        match state.filter(|state| self.tried.get(&run.run_id) != Some(state)) {
            Some(state) => {
                states.insert(run.run_id, state);
            }
            None => {
                if self.looked_at.len() >= MAX_REMEMBERED {
                    self.looked_at.clear();
                }
                self.looked_at.insert(run.run_id, run.step_no);
            }
        }
    }

    fn adopt(&mut self, run_id: RunId, state: u64) {
        if self.adopted.len() + self.tried.len() >= MAX_REMEMBERED {
            self.adopted.clear();
            self.tried.clear();
        }
        self.adopted.insert(run_id, state);
    }
}

impl Looked {
    /// Records that this session has blocked the run.
    pub(crate) fn note_blocked(&self, run_id: RunId) {
        let mut progress = self.lock();
        if let Some(state) = progress.adopted.remove(&run_id) {
            progress.tried.insert(run_id, state);
        }
    }

    fn lock(&self) -> MutexGuard<'_, Progress> {
        // The value is consistent after every operation, so a poisoned lock is usable.
        self.0.lock().unwrap_or_else(PoisonError::into_inner)
    }
}
