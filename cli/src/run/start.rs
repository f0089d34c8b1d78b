//! `piton run start`: a run of a workflow whose code this program does not have.

use std::time::Duration;

use piton::client::{Client, OnConflict};
use piton::model::{OnTimeout, RetryPolicy, TimeoutClock};
use piton::store::IdReuse;
use serde_json::{Value, json};

use super::act::parse_json;
use crate::error::Failure;
use crate::output::{self, Output};
use crate::terms::{duration, timeout_clock};

#[derive(clap::Args)]
pub(crate) struct StartArgs {
    /// The stored name of the workflow, as shown by `piton definition list`
    workflow: String,
    /// The workflow id; the run id by default
    #[arg(long, value_name = "ID")]
    id: Option<String>,
    /// The arguments: a list in the order of the parameters, or an object by their names
    #[arg(long, value_name = "JSON", default_value = "[]", value_parser = parse_json)]
    args: Value,
    /// A request id: a second start with it starts nothing and returns the first run
    #[arg(long, value_name = "NAME")]
    request_id: Option<String>,
    /// Delay the first step by this duration, such as `90s`, `1h30m` or `2d`
    #[arg(long, value_name = "DURATION", value_parser = duration)]
    delay: Option<Duration>,
    /// What happens if an open run has the workflow id
    #[arg(long, value_enum, default_value = "fail")]
    on_conflict: Conflict,
    /// After which runs the workflow id may be used again
    #[arg(long, value_enum, default_value = "always")]
    id_reuse: Reuse,
    /// The time limit of the run and all runs that follow it together
    #[arg(long, value_name = "DURATION", value_parser = duration)]
    execution_timeout: Option<Duration>,
    /// The time limit of each run
    #[arg(long, value_name = "DURATION", value_parser = duration)]
    run_timeout: Option<Duration>,
    /// The time that the timeouts count: `calendar` all time, `attended` only time with a worker that has the code
    #[arg(long, value_name = "CLOCK", value_parser = timeout_clock, default_value = "calendar")]
    timeout_clock: TimeoutClock,
    /// Request the run to cancel when a timeout has passed, instead of terminating it
    #[arg(long)]
    cancel_on_timeout: bool,
    /// Retry the workflow if its run fails: the maximum number of runs
    #[arg(long, value_name = "COUNT")]
    max_attempts: Option<u32>,
    /// Run the workflow at these times, such as `0 12 * * MON-FRI`; `--delay` sets the earliest
    #[arg(long, value_name = "EXPRESSION")]
    cron: Option<String>,
    /// Begin the first run at once, and only the others at the times of `--cron`
    #[arg(long, requires = "cron")]
    cron_at_once: bool,
    /// Continue `--cron` after a run that was cancelled
    #[arg(long, requires = "cron")]
    cron_after_cancel: bool,
}

#[derive(Clone, Copy, clap::ValueEnum)]
enum Conflict {
    /// The start fails
    Fail,
    /// Return that run, and start nothing
    UseExisting,
    /// Terminate that run
    TerminateExisting,
}

#[derive(Clone, Copy, clap::ValueEnum)]
enum Reuse {
    /// After any
    Always,
    /// After one that has not completed
    AfterFailure,
    /// Never
    Never,
}

pub(super) async fn carry_out(
    client: &Client,
    args: StartArgs,
    output: Output,
) -> Result<String, Failure> {
    let mut start = client.start_json(args.workflow, args.args);
    start = start.on_conflict(match args.on_conflict {
        Conflict::Fail => OnConflict::Fail,
        Conflict::UseExisting => OnConflict::UseExisting,
        Conflict::TerminateExisting => OnConflict::TerminateExisting,
    });
    start = start.id_reuse(match args.id_reuse {
        Reuse::Always => IdReuse::Allow,
        Reuse::AfterFailure => IdReuse::AfterFailure,
        Reuse::Never => IdReuse::Reject,
    });
    if let Some(id) = args.id {
        start = start.id(id);
    }
    if let Some(id) = args.request_id {
        start = start.request_id(id);
    }
    if let Some(delay) = args.delay {
        start = start.start_delay(delay);
    }
    if let Some(timeout) = args.execution_timeout {
        start = start.execution_timeout(timeout);
    }
    if let Some(timeout) = args.run_timeout {
        start = start.run_timeout(timeout);
    }
    start = start.timeout_clock(args.timeout_clock);
    if args.cancel_on_timeout {
        start = start.on_timeout(OnTimeout::Cancel);
    }
    if let Some(max_attempts) = args.max_attempts {
        start = start.retry(RetryPolicy { max_attempts, ..RetryPolicy::DEFAULT });
    }
    if let Some(cron) = args.cron {
        start = start.cron(cron);
    }
    if args.cron_at_once {
        start = start.cron_at_once();
    }
    if args.cron_after_cancel {
        start = start.cron_after_cancel();
    }
    let run = start.await.map_err(|error| Failure::Run(with_causes(&error)))?;
    let run = run.status().await?;
    let run_id = run.run_id.to_string();
    if output.json {
        return Ok(output::json(&json!({ "run_id": run_id, "workflow_id": run.workflow_id })));
    }
    Ok(format!("{run_id}\n"))
}

fn with_causes(error: &dyn std::error::Error) -> String {
    let causes = std::iter::successors(error.source(), |cause| cause.source());
    causes.fold(error.to_string(), |text, cause| format!("{text}: {cause}"))
}
