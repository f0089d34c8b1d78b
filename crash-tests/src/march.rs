//! A march of many steps, in each mode of durability, with a ledger of every begun step.

use piton::prelude::*;

use crate::ledger::{Event, Ledger};

/// The number of steps of a run.
pub const STEPS: u32 = 200;

/// The number of concurrent runs.
pub const RUNS: u64 = 4;

/// The number of steps that the relaxed march may be ahead.
pub const AHEAD: usize = 16;

/// Makes one step. The ledger's key is the run and the number of the step.
#[activity]
pub async fn tread(cx: &ActivityContext, number: u32) -> piton::Result<u32> {
    let key = format!("{}/{number}", cx.info().workflow_id);
    cx.dependency::<Ledger>().note(Event::Began, &key, cx.info().attempt)?;
    Ok(number)
}

/// Makes one step, at most once.
#[activity(at_most_once)]
pub async fn leap(cx: &ActivityContext, number: u32) -> Result<u32, String> {
    let key = format!("{}/{number}", cx.info().workflow_id);
    let noted = cx.dependency::<Ledger>().note(Event::Began, &key, cx.info().attempt);
    noted.map_err(|error| error.to_string())?;
    Ok(number)
}

/// Every state is on disk before its activity begins.
#[workflow]
pub async fn strict_march() -> piton::Result<u32> {
    let mut sum = 0;
    for number in 0..STEPS {
        sum += tread(number).await?;
    }
    Ok(sum)
}

/// Relaxed.
#[workflow(durability = "relaxed", max_steps_ahead = 16)]
pub async fn relaxed_march() -> piton::Result<u32> {
    let mut sum = 0;
    for number in 0..STEPS {
        sum += tread(number).await?;
    }
    Ok(sum)
}

/// Relaxed, with every second step made at most once.
#[workflow(durability = "relaxed", max_steps_ahead = 16)]
pub async fn careful_march() -> piton::Result<u32> {
    let mut sum = 0;
    for number in 0..STEPS / 2 {
        sum += tread(2 * number).await?;
        sum += match leap(2 * number + 1).await {
            Err(ActivityError::OutcomeUnknown) => 2 * number + 1,
            leapt => leapt.map_err(piton::Error::msg)?,
        };
    }
    Ok(sum)
}
