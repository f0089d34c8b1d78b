//! `piton promise`: lists and completes promises.

use clap::Subcommand;
use piton::client::{Client, Completed, PromiseHandle};
use piton::model::{Cause, PromiseToken, Timestamp};
use piton::store::{PromiseFilter, RunRecord};
use serde_json::{Value, json};

use crate::error::Failure;
use crate::output::{self, Output, ago, relative};

/// The maximum number of promises that an error names.
const MAX_NAMED: u32 = 20;

#[derive(Subcommand)]
pub(crate) enum PromiseCommand {
    /// List promises that runs have awaited or that were completed
    List {
        /// Only those of this run: its run id or workflow id
        #[arg(long, value_name = "ID")]
        run: Option<String>,
        /// Only promises without an outcome
        #[arg(long)]
        open: bool,
        /// Only promises after this one
        #[arg(long, value_name = "TOKEN")]
        after: Option<PromiseToken>,
        /// The maximum number
        #[arg(long, value_name = "COUNT", default_value_t = 100)]
        limit: u32,
    },
    /// Show the outcome of a promise, and the types with which runs await it
    Show {
        /// The promise's token
        token: PromiseToken,
    },
    /// Complete a promise with a value
    Resolve {
        /// The promise's token
        token: PromiseToken,
        /// The value as JSON
        #[arg(default_value = "null", value_parser = super::run::parse_json)]
        value: Value,
        /// Complete it even if no run awaits it yet
        #[arg(long)]
        ahead: bool,
    },
    /// Complete a promise with an error
    Reject {
        /// The promise's token
        token: PromiseToken,
        /// The error as JSON, of the type that the run expects
        #[arg(value_parser = super::run::parse_json, required_unless_present = "because")]
        error: Option<Value>,
        /// The reason, as text: waiting runs get a broken promise, whatever their error type is
        #[arg(long, value_name = "REASON", conflicts_with = "error")]
        because: Option<String>,
        /// Complete it even if no run awaits it yet
        #[arg(long)]
        ahead: bool,
    },
}

pub(crate) async fn carry_out(
    client: &Client,
    command: PromiseCommand,
    output: Output,
) -> Result<String, Failure> {
    match command {
        PromiseCommand::List { run, open, after, limit } => {
            let run_id = match run {
                Some(id) => Some(super::run::find(client, &id).await?),
                None => None,
            };
            let filter = PromiseFilter { run_id, is_open: open.then_some(true) };
            list(client, &filter, after.as_ref(), limit, output).await
        }
        PromiseCommand::Show { token } => {
            let promise = client.promise(&token);
            match promise.record().await? {
                Some(_) => show(&promise, output).await,
                None => Err(not_awaited(client, &token).await?),
            }
        }
        PromiseCommand::Resolve { token, value, ahead } => {
            check_awaited(client, &token, ahead).await?;
            completed(client.promise(&token).resolve_json(&value).await?, output)
        }
        PromiseCommand::Reject { token, error, because, ahead } => {
            check_awaited(client, &token, ahead).await?;
            let promise = client.promise(&token);
            let done = match because {
                Some(reason) => promise.reject_with(Cause::failure(reason)).await?,
                None => promise.reject_json(&error.unwrap_or_default()).await?,
            };
            completed(done, output)
        }
    }
}

async fn list(
    client: &Client,
    filter: &PromiseFilter,
    after: Option<&PromiseToken>,
    limit: u32,
    output: Output,
) -> Result<String, Failure> {
    let promises = client.promises(filter, after.map(PromiseToken::key), limit).await?;
    if let Some(last) = promises.last() {
        let others = || format!("--after={}", last.token);
        output::tell_if_full(promises.len(), limit, others);
    }
    let status = |outcome: &Option<piton::model::PromiseOutcome>| match outcome {
        Some(outcome) => outcome.as_str(),
        None => "open",
    };
    if output.json {
        let promises = promises.iter().map(|promise| {
            json!({
                "token": promise.token,
                "status": status(&promise.outcome),
                "waits": promise.waits,
                "made_at": promise.made_at.to_string(),
                "completed_at": promise.completed_at.map(|at| at.to_string()),
                "expires_at": promise.expires_at.map(|at| at.to_string()),
            })
        });
        return Ok(output::json(&promises.collect::<Vec<_>>()));
    }
    let now = Timestamp::now();
    let rows = promises.into_iter().map(|promise| {
        let expires = promise.expires_at.filter(|_| promise.outcome.is_none());
        vec![
            promise.token.to_string(),
            status(&promise.outcome).to_owned(),
            promise.waits.to_string(),
            ago(promise.made_at, now),
            expires.map_or_else(String::new, |at| relative(at, now)),
        ]
    });
    Ok(output::table(&["TOKEN", "STATUS", "WAITS", "SINCE", "EXPIRES"], rows))
}

async fn show(promise: &PromiseHandle, output: Output) -> Result<String, Failure> {
    let schemas = promise.schemas().await?;
    let of_json = schemas.as_ref().map(|of| json!({ "value": of.resolved, "error": of.rejected }));
    let Some(settled) = promise.peek().await? else {
        let text = || {
            let types = schemas.map(|of| (of.resolved.short_name(), of.rejected.short_name()));
            let types = types.map(|(value, error)| format!("value  {value}\nerror  {error}\n"));
            format!("nobody has completed it\n{}", types.unwrap_or_default())
        };
        return Ok(output.say(&json!({ "status": "open", "schemas": of_json }), text));
    };
    let (status, value) = (settled.outcome().as_str(), settled.to_json()?);
    let cause = match settled.outcome() {
        piton::model::PromiseOutcome::Broken(cause) => Some(cause.to_string()),
        piton::model::PromiseOutcome::Unreadable { reason, .. } => Some(reason.clone()),
        _ => None,
    };
    if output.json {
        let shown = json!({ "status": status, "value": value, "cause": cause, "schemas": of_json });
        return Ok(output::json(&shown));
    }
    Ok(match cause {
        Some(cause) => format!("{status}: {cause}\n"),
        None => format!("{status} {value}\n"),
    })
}

/// Checks that the promise has been awaited: the name of a promise is known only then, and may be misspelt.
async fn check_awaited(client: &Client, token: &PromiseToken, ahead: bool) -> Result<(), Failure> {
    if ahead || token.queue().is_some() || client.promise(token).record().await?.is_some() {
        return Ok(());
    }
    match run_of(client, token).await? {
        // The completion is refused with the reason.
        None if token.run_id().is_some() => Ok(()),
        Some(run) if !run.status.is_open() => Ok(()),
        _ => Err(not_awaited(client, token).await?),
    }
}

/// Nobody has awaited or completed the promise. Names those that the same run awaits.
async fn not_awaited(client: &Client, token: &PromiseToken) -> Result<Failure, Failure> {
    let names = match run_of(client, token).await? {
        None => Vec::new(),
        Some(run) => {
            let filter = PromiseFilter { run_id: Some(run.run_id), is_open: Some(true) };
            let promises = client.promises(&filter, None, MAX_NAMED).await?;
            promises.iter().map(|promise| promise.token.name().to_owned()).collect()
        }
    };
    Ok(Failure::NotAwaited { token: token.to_string(), names })
}

/// The run that the token names.
async fn run_of(client: &Client, token: &PromiseToken) -> Result<Option<RunRecord>, Failure> {
    Ok(match (token.run_id(), token.workflow_id()) {
        (Some(run_id), _) => client.find(run_id).await?,
        (None, Some(workflow_id)) => client.find(workflow_id).await?,
        (None, None) => None,
    })
}

/// The result of a completion.
fn completed(completed: Completed, output: Output) -> Result<String, Failure> {
    match completed {
        Completed::First => {
            let text = || "the promise is completed\n".to_owned();
            Ok(output.say(&json!({ "completed": true }), text))
        }
        Completed::Already(settled) => {
            Err(Failure::Completed { status: settled.outcome().as_str() })
        }
    }
}
