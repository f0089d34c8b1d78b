//! Simulated clients that start runs with few workflow ids among them, by policies, and have those try again that fail.

use std::sync::Arc;
use std::time::Duration;

use fastrand::Rng;
use piton::client::OnConflict;
use piton::error::{EditError, LookupError, StartError};
use piton::model::{RunId, RunStatus};
use piton::store::{IdReuse, RunRecord};
use tokio::time::sleep;

use crate::runs::ask;
use crate::workflows::brittle;
use crate::world::World;

/// How many workflow ids there are.
const IDS: usize = 2;

/// The wait before a client looks again whether a run is over.
const AGAIN_AFTER: Duration = Duration::from_millis(500);

/// What is drawn for one start.
struct Plan {
    start_after: Duration,
    reuse: IdReuse,
    on_conflict: OnConflict,
    /// Whether the run fails until its code is mended.
    has_flaw: bool,
    millis: u64,
    /// How long its code is mended after it has failed.
    mended_after: Duration,
}

impl Plan {
    /// The same for the same start, however many others there are.
    fn draw(world: &World, number: usize) -> Self {
        let mut rng = Rng::with_seed(world.plan.seed.rotate_left(48) ^ number as u64);
        let reuses = [IdReuse::Allow, IdReuse::AfterFailure, IdReuse::Reject];
        let conflicts = [OnConflict::Fail, OnConflict::UseExisting, OnConflict::TerminateExisting];
        let span = world.plan.faulty_for.as_millis() as u64;
        Self {
            start_after: Duration::from_millis(rng.u64(0..span)),
            reuse: reuses[rng.usize(0..3)],
            on_conflict: conflicts[rng.usize(0..3)],
            has_flaw: rng.bool(),
            millis: rng.u64(0..4_000),
            mended_after: Duration::from_millis(rng.u64(0..10_000)),
        }
    }
}

/// Starts one run, if the others with its workflow id allow it, and sees to it that it succeeds.
pub(crate) async fn live(world: Arc<World>, number: usize) {
    let plan = Plan::draw(&world, number);
    sleep(plan.start_after).await;
    let Some(run_id) = start(&world, number, &plan).await else { return };
    // The last run of a workflow id is the one that has started last by the database's clock.
    let is_own = plan.on_conflict != OnConflict::UseExisting;
    if is_own && world.faults.set_back() == 0 {
        world.was_started(run_id, plan.reuse);
    }
    if !is_own || closed(&world, run_id).await.status != RunStatus::Failed {
        return;
    }
    sleep(plan.mended_after).await;
    world.mend(number);
    if retry(&world, run_id).await {
        let run = closed(&world, run_id).await;
        if !matches!(run.status, RunStatus::Completed | RunStatus::Terminated) {
            world.violate(format!("{run_id} was to try again, and is {}", run.status));
        }
    }
}

async fn start(world: &Arc<World>, number: usize, plan: &Plan) -> Option<RunId> {
    ask(world, |client| async move {
        let call = brittle(number, plan.has_flaw, plan.millis);
        let start = client.start(call).id(format!("let-{}", number % IDS));
        let start = start.request_id(format!("{number}")).id_reuse(plan.reuse);
        match start.on_conflict(plan.on_conflict).await {
            Ok(run) => Some(Some(run.run_id())),
            Err(StartError::AlreadyStarted { .. } | StartError::IdUsed { .. }) => Some(None),
            Err(StartError::Store(_)) => None,
            Err(error) => panic!("tenant {number} cannot start: {error:?}"),
        }
    })
    .await
}

/// Has a failed run try again. Returns whether it does so.
async fn retry(world: &Arc<World>, run_id: RunId) -> bool {
    ask(world, |client| async move {
        match client.by_id(run_id).retry().await {
            // `false` if an answer was lost that it does.
            Ok(_) => Some(true),
            Err(EditError::IdTaken { .. }) => Some(false),
            // The same: it is over again by now.
            Err(EditError::Closed { .. }) => Some(true),
            Err(EditError::Lookup(LookupError::Store(_)) | EditError::Moved { .. }) => None,
            Err(EditError::Busy { .. }) => None,
            Err(error) => panic!("{run_id} cannot try again: {error:?}"),
        }
    })
    .await
}

/// Waits until a run is over.
async fn closed(world: &Arc<World>, run_id: RunId) -> RunRecord {
    loop {
        let run = ask(world, |client| async move { client.find(run_id).await.ok().flatten() });
        let run = run.await;
        if !run.status.is_open() {
            return run;
        }
        sleep(AGAIN_AFTER).await;
    }
}
