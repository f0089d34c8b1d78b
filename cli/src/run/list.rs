//! `piton run list`.

use piton::client::{Client, RunPage, UnknownAttribute, UnknownWorkflow};
use piton::filter::{self, Column, Filter};
use piton::model::{AttributeValue, DefinitionHash, RunStatus, Timestamp};
use piton::store::{RunCount, RunCursor, RunOrder, RunRecord};
use serde_json::{Map, Value, json};

use crate::error::Failure;
use crate::output::{self, Output};

#[derive(clap::Args)]
pub(crate) struct ListArgs {
    /// Only runs of this workflow
    #[arg(long, value_name = "NAME")]
    workflow: Option<String>,
    /// Only runs with this status: running, blocked, paused, completed, failed, cancelled, terminated,
    /// continued_as_new or timed_out
    #[arg(long, value_parser = parse_status)]
    status: Option<RunStatus>,
    /// Only runs in this state
    #[arg(long, value_name = "NAME")]
    state: Option<String>,
    /// Only runs in a state of this definition
    #[arg(long, value_name = "HASH", value_parser = parse_definition)]
    definition: Option<DefinitionHash>,
    /// Only runs that match this filter, such as `customer = 'c-17' and since < now() - interval '3 days'`
    #[arg(long, value_name = "CONDITION", default_value = "", hide_default_value = true)]
    filter: Filter,
    /// The order: run_id, started_at, closed_at, due_at, blocked_at or since, with `-` before it for the latest
    /// first; the run ids of starts with a request id are in no order
    #[arg(long, value_name = "COLUMN", default_value = "-run_id", allow_hyphen_values = true)]
    order: RunOrder,
    /// The maximum number
    #[arg(long, value_name = "COUNT", default_value_t = 50)]
    limit: u32,
    /// Continue after another list, with the cursor printed at its end
    #[arg(long, value_name = "PLACE", allow_hyphen_values = true)]
    page: Option<RunCursor>,
}

#[derive(clap::Args)]
pub(crate) struct CountArgs {
    /// Only runs that match this filter
    #[arg(long, value_name = "CONDITION", default_value = "", hide_default_value = true)]
    filter: Filter,
    /// Count by the value of this column: status, workflow, state and so on; times by day
    #[arg(long, value_name = "COLUMN", value_parser = parse_column)]
    by: Option<Column>,
}

fn parse_column(name: &str) -> Result<Column, String> {
    let names = Column::ALL.map(Column::as_str).join(", ");
    Column::parse(name).ok_or_else(|| format!("it is one of {names}"))
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
    let ListArgs { workflow, status, state, definition, filter, order, limit, page } = args;
    let filter = filter
        & workflow.clone().map(|workflow| filter::workflow().equals(workflow)).unwrap_or_default()
        & status.map(|status| filter::status().equals(status)).unwrap_or_default()
        & state.map(|state| filter::state().equals(state)).unwrap_or_default()
        & definition.map(|hash| filter::definition().equals(hash)).unwrap_or_default();
    hint_at_attributes(client, &filter).await?;
    let list = client.list_runs(filter).order_by(order).limit(limit);
    let RunPage { runs, next } = match page {
        Some(page) => list.page(page).await?,
        None => list.await?,
    };
    if let (Some(workflow), true) = (&workflow, runs.is_empty()) {
        hint_at_workflow(client, workflow).await?;
    }
    if let Some(next) = next {
        output::tell(&format!("there may be more: --page={next}"));
    }
    if output.json {
        return Ok(output::json(&runs.iter().map(to_json).collect::<Vec<_>>()));
    }
    let has_labels = runs.iter().any(|run| !run.attributes.is_empty() || !run.memo.is_empty());
    let now = Timestamp::now();
    let rows = runs.into_iter().map(|run| {
        let labels = has_labels.then(|| labels(&run));
        let mut columns = vec![
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
        ];
        columns.extend(labels);
        columns
    });
    let mut titles = vec!["RUN", "WORKFLOW ID", "WORKFLOW", "STATUS", "STATE", "STARTED"];
    titles.extend(has_labels.then_some("ATTRIBUTES AND MEMO"));
    Ok(output::table(&titles, rows))
}

/// Writes a hint for each attribute of the filter that no run has.
pub(super) async fn hint_at_attributes(client: &Client, filter: &Filter) -> Result<(), Failure> {
    for UnknownAttribute { name, near, .. } in client.unknown_attributes(filter).await? {
        let instead = near.map(|near| format!("; did you mean `{near}`?")).unwrap_or_default();
        output::tell(&format!("hint: no run has the attribute `{name}`{instead}"));
    }
    Ok(())
}

/// Writes a hint if no run and no definition is of this workflow.
pub(crate) async fn hint_at_workflow(client: &Client, workflow: &str) -> Result<(), Failure> {
    if let Some(UnknownWorkflow { name, near, .. }) = client.unknown_workflow(workflow).await? {
        let instead = match near {
            Some(near) => format!("did you mean `{near}`?"),
            None => "`piton definition list` lists the workflows".to_owned(),
        };
        output::tell(&format!(
            "hint: no run and no definition is of the workflow `{name}`; {instead}"
        ));
    }
    Ok(())
}

/// Attributes, then the memo, on one line.
fn labels(run: &RunRecord) -> String {
    let attributes = run.attributes.iter().map(|(name, value)| format!("{name}={value}"));
    let memo = run.memo.iter().map(|(name, value)| format!("{name}: {value}"));
    attributes.chain(memo).collect::<Vec<_>>().join(", ")
}

pub(super) async fn count(
    client: &Client,
    args: CountArgs,
    output: Output,
) -> Result<String, Failure> {
    let CountArgs { filter, by } = args;
    hint_at_attributes(client, &filter).await?;
    let counted = client.count(filter);
    let Some(column) = by else {
        let count = counted.await?;
        return Ok(output.say(&count, || format!("{count}\n")));
    };
    let counts = counted.group_by(column).await?;
    if output.json {
        let counts = counts.iter().map(|count| json!({"key": count.key, "runs": count.runs}));
        return Ok(output::json(&counts.collect::<Vec<_>>()));
    }
    let row =
        |count: RunCount| vec![count.key.unwrap_or_else(|| "-".to_owned()), count.runs.to_string()];
    let title = column.as_str().replace('_', " ").to_uppercase();
    Ok(output::table(&[&title, "RUNS"], counts.into_iter().map(row)))
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
        "since": run.since().to_string(),
        "closed_at": run.closed_at.map(|at| at.to_string()),
        "failure": run.failure,
        "attributes": run.attributes.iter().map(|(name, value)| (name.clone(), attribute(value))).collect::<Map<_, _>>(),
        "memo": run.memo,
    })
}

/// The value of an attribute, in the form of its kind.
pub(crate) fn attribute(value: &AttributeValue) -> Value {
    match value {
        AttributeValue::Integer(number) => json!(number),
        AttributeValue::Float(number) => json!(number),
        AttributeValue::Bool(truth) => json!(truth),
        AttributeValue::Keywords(keywords) => json!(keywords),
        other => json!(other.to_string()),
    }
}
