//! `piton run`: runs of workflows.

mod act;
mod edit;
mod list;
mod many;
mod past;
mod show;
mod start;

use clap::Subcommand;
use piton::client::Client;
use piton::model::RunId;
use piton::store::RunKey;

pub(crate) use self::act::parse_json;
use self::act::{EndArgs, QueryArgs, ResultArgs, RetryArgs, SetAsideArgs, SignalArgs, UpdateArgs};
use self::edit::EditArgs;
use self::list::{CountArgs, ListArgs};
pub(crate) use self::list::{attribute, hint_at_workflow};
use self::past::{AuditArgs, ForkArgs, HistoryArgs, RewindArgs};
use self::show::ShowArgs;
use self::start::StartArgs;
use crate::error::Failure;
use crate::output::Output;

#[derive(Subcommand)]
pub(crate) enum RunCommand {
    /// List runs, the newest first
    List(ListArgs),
    /// Count runs, in total or by the value of a column
    Count(CountArgs),
    /// Show a run as a debugger does: its position in the code, its waits, its variables
    Show(ShowArgs),
    /// Start a run of a workflow by its stored name
    Start(Box<StartArgs>),
    /// Send a signal to a run, or to all runs that match a filter
    Signal(SignalArgs),
    /// Show exposed variables of a run
    Query(QueryArgs),
    /// Send an update to a run and wait for the answer
    Update(UpdateArgs),
    /// Request a run to cancel, or all runs that match a filter
    Cancel(EndArgs),
    /// Terminate a run, without running any more of its code
    Terminate(EndArgs),
    /// Retry a blocked run, or a failed one from where it failed
    Retry(RetryArgs),
    /// Pause a run: it makes no step until it is resumed, and its inbox accepts arrivals
    Pause(EndArgs),
    /// Resume a paused run
    Resume(EndArgs),
    /// Delete a closed run with all its rows
    Delete(EndArgs),
    /// Wait until a run has closed, and show its result
    Result(ResultArgs),
    /// Edit a parked or blocked run: set variables, complete waits, move it to another state
    Edit(EditArgs),
    /// Move a signal or another arrival that a run cannot take to the dead letters
    SetAside(SetAsideArgs),
    /// Show the past states of a run
    History(HistoryArgs),
    /// Return a run to a past state
    Rewind(RewindArgs),
    /// Start another run in a past state of a run
    Fork(ForkArgs),
    /// Show the audit entries of a run: who changed it, when and why
    Audit(AuditArgs),
}

/// Who makes a change, and why.
#[derive(clap::Args)]
pub(crate) struct Signature {
    /// Who makes the change, for the audit table
    #[arg(long, value_name = "NAME", env = "USER")]
    by: String,
    /// The reason, for the audit table
    #[arg(long, value_name = "REASON")]
    because: String,
}

pub(crate) async fn carry_out(
    client: &Client,
    command: RunCommand,
    output: Output,
) -> Result<String, Failure> {
    match command {
        RunCommand::List(args) => list::carry_out(client, args, output).await,
        RunCommand::Count(args) => list::count(client, args, output).await,
        RunCommand::Show(args) => show::carry_out(client, args, output).await,
        RunCommand::Start(args) => start::carry_out(client, *args, output).await,
        RunCommand::Signal(args) if args.many.have_filter() => {
            many::signal(client, args, output).await
        }
        RunCommand::Cancel(args) => many::cancel(client, args, output).await,
        RunCommand::Terminate(args) => many::terminate(client, args, output).await,
        RunCommand::Retry(args) if args.end.many.are_meant() => {
            many::retry(client, args.end, output).await
        }
        RunCommand::Retry(args) => act::retry(client, args, output).await,
        RunCommand::Pause(args) if args.many.are_meant() => many::pause(client, args, output).await,
        RunCommand::Pause(args) => act::pause(client, args, output).await,
        RunCommand::Resume(args) if args.many.are_meant() => {
            many::resume(client, args, output).await
        }
        RunCommand::Resume(args) => act::resume(client, args, output).await,
        RunCommand::Delete(args) => many::delete(client, args, output).await,
        RunCommand::Signal(args) => act::signal(client, args, output).await,
        RunCommand::Query(args) => act::query(client, args, output).await,
        RunCommand::Update(args) => act::update(client, args).await,
        RunCommand::Result(args) => act::result(client, args).await,
        RunCommand::Edit(args) => edit::carry_out(client, args, output).await,
        RunCommand::SetAside(args) => act::set_aside(client, args, output).await,
        RunCommand::History(args) => past::history(client, args, output).await,
        RunCommand::Rewind(args) => past::rewind(client, args, output).await,
        RunCommand::Fork(args) => past::fork(client, args, output).await,
        RunCommand::Audit(args) => past::audit(client, args, output).await,
    }
}

/// The run with this run id, or else with this workflow id, which may look like one.
pub(crate) async fn find(client: &Client, id: &str) -> Result<RunId, Failure> {
    if let Ok(run_id) = id.parse()
        && client.find(RunKey::RunId(run_id)).await?.is_some()
    {
        return Ok(run_id);
    }
    match client.find(id).await? {
        Some(run) => Ok(run.run_id),
        None => Err(Failure::NoRun(id.to_owned())),
    }
}
