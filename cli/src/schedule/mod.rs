//! `piton schedule`: when schedules are due.

mod next;

use clap::Subcommand;

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
}

/// What is asked without a database: the exit comes at the end of standard input.
pub(crate) fn carry_out(command: &ScheduleCommand, output: Output) -> Result<(), Failure> {
    match command {
        ScheduleCommand::Next(next) => next.carry_out(output),
    }
}
