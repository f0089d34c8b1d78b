//! Simulated clients that complete promises, before or after the run exists, and often several for one promise.

use std::sync::Arc;
use std::time::Duration;

use piton::client::Completed;
use piton::error::CompleteError;
use piton::model::{PromiseToken, RunId};
use tokio::time::sleep;

use crate::program::VALUES;
use crate::runs::ask;
use crate::ties::{PROMISES, Promised};
use crate::world::World;

/// How long a notary takes at most.
const LONGEST: Duration = Duration::from_secs(30);

/// Completes the promises that all runs share, each by several notaries at a time.
pub(crate) async fn complete_shared(world: Arc<World>) {
    let notaries = (0..2 * PROMISES).map(|notary| {
        let token = PromiseToken::shared(Promised::Shared(notary % PROMISES).name());
        tokio::spawn(complete(Arc::clone(&world), token))
    });
    let notaries: Vec<_> = notaries.collect();
    for notary in notaries {
        let _ = notary.await;
    }
}

/// Completes some promises of the run with this workflow id, whether it exists or not.
pub(crate) fn complete_ahead(world: &Arc<World>, workflow_id: &str) {
    let number = world.faults.below(u64::from(2 * PROMISES)) as u32;
    if number < PROMISES {
        let name = Promised::Own(number).name();
        let token = PromiseToken::of_workflow_id("interpret", workflow_id, name);
        tokio::spawn(complete(Arc::clone(world), token));
    }
}

/// Completes promises of a run, some of them twice.
pub(crate) async fn complete_own(
    world: &Arc<World>,
    run_id: RunId,
    numbers: impl IntoIterator<Item = u32>,
) {
    for number in numbers {
        for _ in 0..1 + number % 2 {
            let token = PromiseToken::of_run("interpret", run_id, Promised::Own(number).name());
            complete(Arc::clone(world), token).await;
        }
    }
}

/// The token with the workflow of the run, which a notary learns from a refusal.
fn of_workflow(token: &PromiseToken, workflow: String) -> PromiseToken {
    match (token.run_id(), token.workflow_id()) {
        (Some(run_id), _) => PromiseToken::of_run(workflow, run_id, token.name()),
        (_, Some(workflow_id)) => PromiseToken::of_workflow_id(workflow, workflow_id, token.name()),
        _ => token.clone(),
    }
}

/// Completes a promise, with retries after failures of the database, and checks its outcome.
async fn complete(world: Arc<World>, token: PromiseToken) {
    sleep(world.faults.duration(LONGEST)).await;
    // Each completion has a distinct value.
    let said = world.faults.below(VALUES as u64) as i64;
    let refuses = world.faults.below(6) == 0;
    let answer = ask(&world, |client| {
        let mut token = token.clone();
        async move {
            loop {
                let promise = client.promise(&token);
                let completed = match refuses {
                    true => promise.reject(&format!("{said}")).await,
                    false => promise.resolve(&said).await,
                };
                return match completed {
                    // The oracle has seen the completion that counts.
                    Ok(Completed::First) | Err(CompleteError::Closed { .. }) => Some(None),
                    Ok(Completed::Already(settled)) => Some(Some(settled.outcome().clone())),
                    Err(CompleteError::Store(_)) => None,
                    Err(CompleteError::OtherWorkflow { workflow, .. }) => {
                        token = of_workflow(&token, workflow);
                        continue;
                    }
                    Err(error) => panic!("{token} came to {error:?}"),
                };
            }
        }
    })
    .await;
    if let Some(outcome) = answer {
        world.promise_has_come_to(&token, &outcome);
    }
}
