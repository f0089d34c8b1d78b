//! `piton schedule`: schedules and their runs.

mod change;
mod look;
mod next;
mod write;

use clap::Subcommand;
use piton::client::{Client, Overlap};
use serde_json::json;

use self::change::{BackfillArgs, PauseArgs, TriggerArgs};
use self::look::{ListArgs, LogArgs};
use self::write::{CreateArgs, UpdateArgs};
use crate::error::Failure;
use crate::output::Output;

#[derive(Subcommand)]
pub(crate) enum ScheduleCommand {
    /// The next times of a cron string, or of specs from standard input; needs no database
    ///
    /// With `--json`, each line of standard input is a JSON object: `{"cron": "0 12 * * MON-FRI"}` or `{"spec":
    /// {"calendars": [{"hour": "12"}], "intervals": [{"interval": "90m", "offset": "5m"}], "exclude": […], "start":
    /// …, "end": …}}`, with `"zone"` (UTC), `"from"` (excluded, now), `"count"` (1) and `"clock_changes"`
    /// (`{"gap": "after", "fold": "first"}`). Each line of the answer is `{"next": ["2026-11-26T12:00:00Z"]}`, with
    /// fewer times if there are no more, or `{"error": "…"}`. Times are nominal: jitter is not added.
    Next(next::Next),
    /// Create a schedule
    Create(CreateArgs),
    /// Change the configuration of a schedule
    ///
    /// Options that are not given stay as they are. `--cron`, `--every` and `--calendar` replace all times of the schedule, `--exclude` all
    /// its exclusions, and `--spec` the whole spec.
    Update(UpdateArgs),
    /// List schedules
    List(ListArgs),
    /// Show the configuration of a schedule, its progress, and its next times
    Describe {
        /// The schedule
        id: String,
    },
    /// Show the log of a schedule, the newest entries first
    Log(LogArgs),
    /// Pause a schedule
    Pause(PauseArgs),
    /// Unpause a schedule; times that were due meanwhile are skipped
    Unpause(PauseArgs),
    /// Start a run now
    Trigger(TriggerArgs),
    /// Start the runs of a period
    Backfill(BackfillArgs),
    /// Cancel the unfinished backfills; runs that were started continue
    CancelBackfills {
        /// The schedule
        id: String,
    },
    /// Remove a schedule with its log; its runs continue
    Delete {
        /// The schedule
        id: String,
    },
}

/// Commands that need no database. `None` for other commands.
pub(crate) fn carry_out_alone(
    command: &ScheduleCommand,
    output: Output,
) -> Option<Result<(), Failure>> {
    let ScheduleCommand::Next(next) = command else { return None };
    Some(next.carry_out(output))
}

pub(crate) async fn carry_out(
    client: &Client,
    command: ScheduleCommand,
    output: Output,
) -> Result<String, Failure> {
    match command {
        ScheduleCommand::Next(next) => next.carry_out(output).map(|()| String::new()),
        ScheduleCommand::Create(args) => write::create(client, args, output).await,
        ScheduleCommand::Update(args) => write::update(client, args, output).await,
        ScheduleCommand::List(args) => look::list(client, args, output).await,
        ScheduleCommand::Describe { id } => look::describe(client, id, output).await,
        ScheduleCommand::Log(args) => look::log(client, args, output).await,
        ScheduleCommand::Pause(args) => change::pause(client, args, output).await,
        ScheduleCommand::Unpause(args) => change::unpause(client, args, output).await,
        ScheduleCommand::Trigger(args) => change::trigger(client, args, output).await,
        ScheduleCommand::Backfill(args) => change::backfill(client, args, output).await,
        ScheduleCommand::CancelBackfills { id } => {
            change::cancel_backfills(client, id, output).await
        }
        ScheduleCommand::Delete { id } => change::delete(client, id, output).await,
    }
}

/// Parses the name of a policy, with `-` or `_`.
fn overlap(word: &str) -> Result<Overlap, String> {
    let found = Overlap::ALL.iter().find(|(name, _)| *name == word.replace('-', "_"));
    found.map(|(_, policy)| *policy).ok_or_else(|| {
        let known: Vec<String> =
            Overlap::ALL.iter().map(|(name, _)| name.replace('_', "-")).collect();
        format!("write one of {}", known.join(", "))
    })
}

/// What came of a change of a schedule.
fn changed(output: Output, id: &str, verb: &str) -> String {
    let data = json!({ "schedule": id, verb: true });
    output.say(&data, || format!("the schedule `{id}` is {verb}\n"))
}
