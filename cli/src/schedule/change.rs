//! Pausing, triggering, backfilling and deleting schedules.

use piton::client::{Backfill, Client, Overlap};
use piton::model::Timestamp;
use piton::schedule::UnixSeconds;
use serde_json::json;

use super::{changed, overlap};
use crate::error::Failure;
use crate::output::Output;

/// The maximum number of times shown by a dry run.
const MAX_SHOWN: usize = 1_000;

#[derive(clap::Args)]
pub(crate) struct PauseArgs {
    /// The schedule
    id: String,
    /// The reason, for its log
    #[arg(long, value_name = "REASON", default_value = "", hide_default_value = true)]
    because: String,
}

#[derive(clap::Args)]
pub(crate) struct TriggerArgs {
    /// The schedule
    id: String,
    /// What happens if a run of the schedule is open; the schedule's policy by default
    #[arg(long, value_name = "POLICY", value_parser = overlap)]
    overlap: Option<Overlap>,
}

#[derive(clap::Args)]
pub(crate) struct BackfillArgs {
    /// The schedule
    id: String,
    /// The first time, in RFC 3339
    #[arg(long, value_name = "TIME")]
    from: UnixSeconds,
    /// The last time, in RFC 3339
    #[arg(long, value_name = "TIME")]
    to: UnixSeconds,
    /// What happens if a run of the schedule is open; the schedule's policy by default
    #[arg(long, value_name = "POLICY", value_parser = overlap)]
    overlap: Option<Overlap>,
    /// How many runs it may start; a longer period is refused
    #[arg(long, value_name = "N", default_value_t = Backfill::MAX_RUNS)]
    max_runs: usize,
    /// Show the times, the first 1,000, and start nothing
    #[arg(long)]
    dry_run: bool,
}

pub(super) async fn pause(
    client: &Client,
    args: PauseArgs,
    output: Output,
) -> Result<String, Failure> {
    client.schedule(&*args.id).pause(args.because).await?;
    Ok(changed(output, &args.id, "paused"))
}

pub(super) async fn unpause(
    client: &Client,
    args: PauseArgs,
    output: Output,
) -> Result<String, Failure> {
    client.schedule(&*args.id).unpause(args.because).await?;
    Ok(changed(output, &args.id, "unpaused"))
}

pub(super) async fn trigger(
    client: &Client,
    args: TriggerArgs,
    output: Output,
) -> Result<String, Failure> {
    let mut trigger = client.schedule(&*args.id).trigger();
    if let Some(policy) = args.overlap {
        trigger = trigger.overlap(policy);
    }
    trigger.await?;
    Ok(changed(output, &args.id, "triggered"))
}

pub(super) async fn backfill(
    client: &Client,
    args: BackfillArgs,
    output: Output,
) -> Result<String, Failure> {
    let at = |seconds: UnixSeconds| Timestamp(seconds.as_micros());
    let backfill = client.schedule(&*args.id).backfill(at(args.from), at(args.to));
    let mut backfill = backfill.max_runs(args.max_runs);
    if let Some(policy) = args.overlap {
        backfill = backfill.overlap(policy);
    }
    if !args.dry_run {
        backfill.await?;
        return Ok(changed(output, &args.id, "backfilled"));
    }
    let times: Vec<String> =
        backfill.times(MAX_SHOWN).await?.iter().map(ToString::to_string).collect();
    Ok(output.say(&times, || times.iter().map(|time| format!("{time}\n")).collect()))
}

pub(super) async fn cancel_backfills(
    client: &Client,
    id: String,
    output: Output,
) -> Result<String, Failure> {
    client.schedule(id.as_str()).cancel_backfills().await?;
    let data = json!({ "schedule": id, "backfills_cancelled": true });
    Ok(output.say(&data, || format!("the backfills of the schedule `{id}` are cancelled\n")))
}

pub(super) async fn delete(client: &Client, id: String, output: Output) -> Result<String, Failure> {
    match client.schedule(id.as_str()).delete().await? {
        true => Ok(changed(output, &id, "deleted")),
        false => Err(Failure::Schedule(piton::error::ScheduleError::Unknown { id })),
    }
}
