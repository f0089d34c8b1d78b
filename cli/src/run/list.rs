//! `piton run list`.

use piton::client::Client;
use piton::model::{DefinitionHash, RunStatus, Timestamp};
use piton::store::{RunFilter, RunRecord};
use serde_json::json;

use crate::error::Failure;
use crate::output::{self, Output};

#[derive(clap::Args)]
pub(crate) struct ListArgs {
    /// Only runs of this workflow
    #[arg(long, value_name = "NAME")]
    workflow: Option<String>,
    /// Only runs of this status: running, blocked, completed, failed, cancelled or terminated
    #[arg(long, value_parser = parse_status)]
    status: Option<RunStatus>,
    /// Only runs in this state
    #[arg(long, value_name = "NAME")]
    state: Option<String>,
    /// Only runs in a state that this definition wrote
    #[arg(long, value_name = "HASH", value_parser = parse_definition)]
    definition: Option<DefinitionHash>,
    /// How many at most
    #[arg(long, value_name = "COUNT", default_value_t = 50)]
    limit: u32,
}

fn parse_status(word: &str) -> Result<RunStatus, String> {
    let words: Vec<_> = RunStatus::ALL.iter().map(|status| status.as_str()).collect();
    RunStatus::parse(word).ok_or_else(|| format!("it is one of {}", words.join(", ")))
}

fn parse_definition(digits: &str) -> Result<DefinitionHash, String> {
    let hash = u64::from_str_radix(digits, 16).map(DefinitionHash);
    hash.map_err(|_| "it is 16 hex digits, as `piton definition list` shows them".to_owned())
}

pub(super) async fn carry_out(
    client: &Client,
    args: ListArgs,
    output: Output,
) -> Result<String, Failure> {
    let ListArgs { workflow, status, state, definition, limit } = args;
    let filter = RunFilter { workflow, status, state, definition };
    let runs = match limit {
        0 => Vec::new(),
        limit => client.list(&filter, limit).await?,
    };
    if output.json {
        return Ok(output::json(&runs.iter().map(to_json).collect::<Vec<_>>()));
    }
    let now = Timestamp::now();
    let rows = runs.into_iter().map(|run| {
        vec![
            run.run_id.to_string(),
            // By default it is the run id.
            if run.workflow_id == run.run_id.to_string() {
                "-".to_owned()
            } else {
                run.workflow_id
            },
            run.workflow,
            run.status.to_string(),
            run.state,
            output::ago(run.started_at, now),
        ]
    });
    let titles = ["RUN", "WORKFLOW ID", "WORKFLOW", "STATUS", "STATE", "STARTED"];
    Ok(output::table(&titles, rows))
}

fn to_json(run: &RunRecord) -> serde_json::Value {
    json!({
        "run_id": run.run_id,
        "workflow_id": run.workflow_id,
        "workflow": run.workflow,
        "status": run.status,
        "state": run.state,
        "definition": run.definition.map(|hash| hash.to_string()),
        "step_no": run.step_no.0,
        "owner": run.owner.map(|worker| worker.0),
        "due_at": run.due_at.map(|at| at.to_string()),
        "blocked": run.blocked.as_ref().map(ToString::to_string),
        "blocked_at": run.blocked_at.map(|at| at.to_string()),
        "started_at": run.started_at.to_string(),
        "closed_at": run.closed_at.map(|at| at.to_string()),
        "failure": run.failure,
    })
}
