//! Simulated clients that complete attempts by their tokens: late, twice, or not at all.

use std::sync::Arc;
use std::sync::atomic::{AtomicU32, Ordering};
use std::time::Duration;

use piton::activities::ActivityInfo;
use piton::error::TokenError;
use piton::machine::Activity;
use piton::model::ActivityToken;
use tokio::time::sleep;

use crate::faults::Fault;
use crate::program::VALUES;
use crate::runs::ask;
use crate::world::World;

/// The maximum time of a clerk: longer than the limits of some attempts.
const LONGEST: Duration = Duration::from_secs(30);

/// The result of using a token.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Answer {
    /// The token was accepted.
    Taken,
    /// The attempt has ended.
    Stale,
    /// The run has closed.
    Closed,
}

/// Gives a token to the clerks, who complete the attempt with `value`.
pub(crate) fn expect<A: Activity<Return = Result<i64, String>>>(
    world: &Arc<World>,
    info: &ActivityInfo,
    token: ActivityToken,
    value: i64,
) {
    let clerks = 1 + u32::from(world.faults.below(4) == 0);
    for _ in 0..clerks {
        tokio::spawn(use_token::<A>(Arc::clone(world), info.clone(), token, value));
    }
}

async fn use_token<A: Activity<Return = Result<i64, String>>>(
    world: Arc<World>,
    info: ActivityInfo,
    token: ActivityToken,
    value: i64,
) {
    sleep(world.faults.duration(LONGEST)).await;
    if world.strikes(Fault::LazyClerk) {
        return;
    }
    // Each use has a distinct value.
    let number = world.number_of_use();
    let fails = world.faults.below(8) == 0;
    let said = value | (number * (VALUES + 1));
    let asked = AtomicU32::new(0);
    let answer = ask(&world, |client| {
        asked.fetch_add(1, Ordering::Relaxed);
        async move {
            let used = match fails {
                true => client.fail_activity::<A>(token, "not today".to_owned()).retryable().await,
                false => client.complete_activity::<A>(token, Ok(said)).await,
            };
            match used {
                Ok(()) => Some(Answer::Taken),
                Err(TokenError::Stale { .. }) => Some(Answer::Stale),
                Err(TokenError::Store(_)) => None,
                Err(_) => Some(Answer::Closed),
            }
        }
    })
    .await;
    // An earlier request without a response may still be in flight.
    if answer == Answer::Stale && asked.load(Ordering::Relaxed) == 1 {
        world.token_was_refused(said);
    }
    world.token_was_used(&info, (!fails).then_some(said), answer);
}
