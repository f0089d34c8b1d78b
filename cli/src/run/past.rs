//! `piton run history`, `rewind`, `fork` and `audit`.

use piton::client::Client;
use piton::model::{StepNo, Timestamp};
use serde_json::{Value, json};

use super::Signature;
use crate::error::Failure;
use crate::output::{self, Output};

#[derive(clap::Args)]
pub(crate) struct HistoryArgs {
    /// The run id or the workflow id
    id: String,
}

#[derive(clap::Args)]
pub(crate) struct RewindArgs {
    /// The run id or the workflow id
    id: String,
    /// The number of the step to return to, as shown by `run history`
    step: i64,
    /// Reopen the run if it has failed, was cancelled or terminated
    #[arg(long)]
    reopen: bool,
    #[command(flatten)]
    signature: Signature,
}

#[derive(clap::Args)]
pub(crate) struct ForkArgs {
    /// The run id or the workflow id
    id: String,
    /// The number of the step in whose state the new run begins, as shown by `run history`
    step: i64,
    /// The workflow id of the new run
    new_id: String,
}

#[derive(clap::Args)]
pub(crate) struct AuditArgs {
    /// The run id or the workflow id
    id: String,
    /// The maximum number of entries
    #[arg(long, value_name = "COUNT", default_value_t = 50)]
    limit: u32,
}

pub(super) async fn history(
    client: &Client,
    args: HistoryArgs,
    output: Output,
) -> Result<String, Failure> {
    let states = client.history(super::find(client, &args.id).await?).await?;
    if output.json {
        let states = states.iter().map(|past| {
            json!({
                "step_no": past.step_no.0,
                "at": past.at.to_string(),
                "state": past.state,
                "bytes": past.bytes,
            })
        });
        return Ok(output::json(&states.collect::<Vec<_>>()));
    }
    let now = Timestamp::now();
    let rows = states.into_iter().map(|past| {
        vec![
            past.step_no.0.to_string(),
            past.state,
            past.bytes.to_string(),
            output::ago(past.at, now),
        ]
    });
    Ok(output::table(&["STEP", "STATE", "BYTES", "COMMITTED"], rows))
}

pub(super) async fn rewind(
    client: &Client,
    args: RewindArgs,
    output: Output,
) -> Result<String, Failure> {
    let RewindArgs { id, step, reopen, signature } = args;
    let run_id = super::find(client, &id).await?;
    let rewind = client.rewind(run_id, StepNo(step)).by(signature.by).because(signature.because);
    if reopen { rewind.reopen() } else { rewind }.await?;
    let text = || format!("the run {run_id} is in the state of step {step} again\n");
    Ok(output.say(&json!({ "run_id": run_id }), text))
}

pub(super) async fn fork(
    client: &Client,
    args: ForkArgs,
    output: Output,
) -> Result<String, Failure> {
    let run_id = super::find(client, &args.id).await?;
    let forked = client.fork(run_id, StepNo(args.step), args.new_id).await?;
    let text = || format!("the run {forked} begins in the state of step {}\n", args.step);
    Ok(output.say(&json!({ "run_id": forked }), text))
}

pub(super) async fn audit(
    client: &Client,
    args: AuditArgs,
    output: Output,
) -> Result<String, Failure> {
    let run_id = super::find(client, &args.id).await?;
    let entries = match args.limit {
        0 => Vec::new(),
        limit => client.audit(run_id, limit).await?,
    };
    output::tell_if_full(entries.len(), args.limit, || "--limit sets the number".to_owned());
    if output.json {
        let entries = entries.into_iter().map(|audited| {
            let details = audited.entry.details.as_deref().map(serde_json::from_str::<Value>);
            json!({
                "at": audited.at.to_string(),
                "who": audited.entry.who,
                "action": audited.entry.action,
                "reason": audited.entry.reason,
                "details": details.and_then(Result::ok),
            })
        });
        return Ok(output::json(&entries.collect::<Vec<_>>()));
    }
    let now = Timestamp::now();
    let rows = entries.into_iter().map(|audited| {
        let entry = audited.entry;
        let details = entry.details.unwrap_or_default();
        vec![output::ago(audited.at, now), entry.who, entry.action, entry.reason, details]
    });
    Ok(output::table(&["AT", "WHO", "ACTION", "REASON", "DETAILS"], rows))
}
