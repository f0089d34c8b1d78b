//! `piton run signal`, `query`, `update`, `retry`, `pause`, `resume` and `result`: the actions of a run's handle.

use piton::client::{ChangeOne, Client, UntypedRun};
use piton::error::{RunError, UpdateError};
use piton::model::RunId;
use serde_json::{Value, json};

use super::Signature;
use super::many::ManyArgs;
use crate::error::Failure;
use crate::output::{self, Output};
use crate::terms::{Limit, limit};

#[derive(clap::Args)]
pub(crate) struct SignalArgs {
    /// The run id or the workflow id; leave it out with `--filter`
    #[arg(value_name = "RUN")]
    pub(super) id: String,
    /// The stored name of the signal
    #[arg(value_name = "SIGNAL", required_unless_present = "filter")]
    pub(super) name: Option<String>,
    /// The signal as JSON
    #[arg(value_parser = parse_json)]
    pub(super) value: Option<Value>,
    /// A dedup key: the run accepts one signal with it
    #[arg(long, value_name = "KEY", conflicts_with = "filter")]
    pub(super) dedup_key: Option<String>,
    /// Send it although no recorded build awaits it or can read it
    #[arg(long, conflicts_with = "filter")]
    pub(super) unchecked: bool,
    /// The reason, for the audit table, when sending to all runs of a filter
    #[arg(long, value_name = "REASON", requires = "filter")]
    pub(super) because: Option<String>,
    #[command(flatten)]
    pub(super) many: ManyArgs,
}

#[derive(clap::Args)]
pub(crate) struct QueryArgs {
    /// The run id or the workflow id
    id: String,
    /// An exposed variable; without it, all of them
    variable: Option<String>,
}

#[derive(clap::Args)]
pub(crate) struct UpdateArgs {
    /// The run id or the workflow id
    id: String,
    /// The stored name of the update
    name: String,
    /// The request as JSON
    #[arg(default_value = "null", value_parser = parse_json)]
    request: Value,
    /// The id of the update: a run accepts each id once, and a repetition gets the first answer
    #[arg(long, value_name = "ID")]
    update_id: Option<String>,
    /// How long to wait for the answer; `none` means without a limit
    #[arg(long, value_name = "DURATION", value_parser = limit, default_value = "30s")]
    timeout: Limit,
}

#[derive(clap::Args)]
pub(crate) struct EndArgs {
    /// The run id or the workflow id
    #[arg(required_unless_present = "filter", conflicts_with = "filter")]
    pub(super) id: Option<String>,
    /// The reason, shown to the run and to those who wait for its result
    #[arg(long, value_name = "REASON", required_unless_present = "dry_run")]
    pub(super) because: Option<String>,
    #[command(flatten)]
    pub(super) many: ManyArgs,
}

#[derive(clap::Args)]
pub(crate) struct RetryArgs {
    #[command(flatten)]
    pub(super) end: EndArgs,
    /// Attempt `at_most_once` activities again, although they may have been executed before the run failed
    #[arg(long, conflicts_with = "filter")]
    pub(super) repeat_at_most_once: bool,
}

#[derive(clap::Args)]
pub(crate) struct SetAsideArgs {
    /// The run id or the workflow id
    #[arg(value_name = "RUN")]
    id: String,
    /// The number of the signal, or of an arrival that cannot be read, as shown by `piton run show`
    #[arg(value_name = "NUMBER")]
    seq: i64,
    #[command(flatten)]
    signature: Signature,
}

#[derive(clap::Args)]
pub(crate) struct ResultArgs {
    /// The run id or the workflow id
    id: String,
    /// How long to wait; `none` means without a limit
    #[arg(long, value_name = "DURATION", value_parser = limit, default_value = "none")]
    timeout: Limit,
}

pub(crate) fn parse_json(text: &str) -> Result<Value, String> {
    serde_json::from_str(text)
        .map_err(|error| format!("this is not JSON ({error}); put a string in quotes: '\"text\"'"))
}

async fn find(client: &Client, id: &str) -> Result<UntypedRun, Failure> {
    Ok(client.by_id(super::find(client, id).await?))
}

pub(super) async fn signal(
    client: &Client,
    args: SignalArgs,
    output: Output,
) -> Result<String, Failure> {
    args.many.check_signal()?;
    let run = find(client, &args.id).await?;
    let value = args.value.unwrap_or_default();
    let send = run.signal(args.name.unwrap_or_default(), &value);
    let send = args.dedup_key.into_iter().fold(send, |send, key| send.dedup_key(key));
    let send = if args.unchecked { send.unchecked() } else { send };
    send.await?;
    Ok(said(output, &json!({ "sent": true }), "the signal was sent"))
}

pub(super) async fn query(
    client: &Client,
    args: QueryArgs,
    output: Output,
) -> Result<String, Failure> {
    let run = find(client, &args.id).await?;
    if let Some(variable) = args.variable {
        return Ok(output::json(&run.variable(&variable).await?));
    }
    let variables = run.variables().await?;
    if output.json {
        return Ok(output::json(&variables));
    }
    Ok(variables.iter().map(|(name, value)| format!("{name} = {value:#}\n")).collect())
}

pub(super) async fn update(client: &Client, args: UpdateArgs) -> Result<String, Failure> {
    let UpdateArgs { id, name, request, update_id, timeout: Limit(limit) } = args;
    let run = find(client, &id).await?;
    // The answer of an update whose id is known can be asked for later.
    let update_id = update_id.unwrap_or_else(|| RunId::new().to_string());
    let mut update = run.update(&*name, &request).id(&*update_id);
    if let Some(limit) = limit {
        update = update.timeout(limit);
    }
    match update.await {
        Err(UpdateError::NoAnswer { limit, .. }) => {
            Err(Failure::NoAnswer { id, name, request, update_id, limit })
        }
        answer => Ok(output::json(&answer?)),
    }
}

pub(super) async fn retry(
    client: &Client,
    args: RetryArgs,
    output: Output,
) -> Result<String, Failure> {
    args.end.many.check_one()?;
    let id = args.end.id.unwrap_or_default();
    let run = find(client, &id).await?;
    let mut retry = run.retry().because(args.end.because.unwrap_or_default());
    if args.repeat_at_most_once {
        retry = retry.repeat_at_most_once();
    }
    let retried = signed(retry, args.end.many.by).await?;
    let text = if retried { "the run is retried" } else { "the run is neither blocked nor failed" };
    Ok(said(output, &json!({ "retried": retried }), text))
}

pub(super) async fn pause(
    client: &Client,
    args: EndArgs,
    output: Output,
) -> Result<String, Failure> {
    args.many.check_one()?;
    let id = args.id.unwrap_or_default();
    let run = find(client, &id).await?;
    let paused = signed(run.pause(args.because.unwrap_or_default()), args.many.by).await?;
    if !paused {
        check_open(&run, id).await?;
    }
    let text = if paused { "the run is paused" } else { "the run was paused already" };
    Ok(said(output, &json!({ "paused": paused }), text))
}

pub(super) async fn resume(
    client: &Client,
    args: EndArgs,
    output: Output,
) -> Result<String, Failure> {
    args.many.check_one()?;
    let id = args.id.unwrap_or_default();
    let run = find(client, &id).await?;
    let resume = run.resume().because(args.because.unwrap_or_default());
    let resumed = signed(resume, args.many.by).await?;
    if !resumed {
        check_open(&run, id).await?;
    }
    let text = if resumed { "the run continues" } else { "the run was not paused" };
    Ok(said(output, &json!({ "resumed": resumed }), text))
}

/// Refuses a closed run.
async fn check_open(run: &UntypedRun, id: String) -> Result<(), Failure> {
    match run.status().await?.status {
        status if status.is_open() => Ok(()),
        status => Err(Failure::Over { id, status }),
    }
}

/// The change, made by the given person or else by this program.
fn signed(change: ChangeOne, by: String) -> ChangeOne {
    if by.is_empty() { change } else { change.by(by) }
}

pub(super) async fn set_aside(
    client: &Client,
    args: SetAsideArgs,
    output: Output,
) -> Result<String, Failure> {
    let SetAsideArgs { id, seq, signature } = args;
    let set_aside = find(client, &id).await?.set_aside(seq);
    set_aside.by(signature.by).because(signature.because).await?;
    Ok(said(output, &json!({ "set_aside": seq }), "the arrival is a dead letter"))
}

pub(super) async fn result(client: &Client, args: ResultArgs) -> Result<String, Failure> {
    let run = find(client, &args.id).await?;
    let result = match args.timeout {
        Limit(None) => run.result().await,
        Limit(Some(limit)) => match tokio::time::timeout(limit, run.result()).await {
            Ok(result) => result,
            Err(_) => return Err(Failure::StillOpen { id: args.id, limit }),
        },
    };
    match result {
        Ok(value) => Ok(output::json(&value)),
        Err(RunError::Store(error)) => Err(Failure::Asked(error)),
        Err(error) => Err(Failure::Run(error.to_string())),
    }
}

/// The result of a change as a sentence, or the data as JSON.
fn said(output: Output, data: &Value, text: &str) -> String {
    output.say(data, || format!("{text}\n"))
}
