//! Listing and describing schedules.

use std::fmt::Write as _;
use std::time::Duration;

use piton::client::{Client, LogEntry, ScheduleDescription, ScheduleFilter};
use piton::model::{OnTimeout, TimeoutClock, Timestamp, WorkflowRetry};
use serde::Serialize;
use serde_json::{Value, json};

use crate::error::Failure;
use crate::output::{self, Output};
use crate::run::{attribute, hint_at_workflow};
use crate::shell::quoted;

/// The number of log entries in a description.
const RECENT: u32 = 10;

#[derive(clap::Args)]
pub(crate) struct ListArgs {
    /// Only schedules of this workflow
    #[arg(long, value_name = "NAME")]
    workflow: Option<String>,
    /// Only schedules whose id begins with this text
    #[arg(long, value_name = "TEXT")]
    prefix: Option<String>,
    /// Only schedules that are paused
    #[arg(long)]
    paused: bool,
    /// Only schedules that are not paused
    #[arg(long, conflicts_with = "paused")]
    unpaused: bool,
    /// Only schedules after this id
    #[arg(long, value_name = "ID")]
    after: Option<String>,
    /// The maximum number
    #[arg(long, value_name = "COUNT", default_value_t = 100)]
    limit: u32,
}

#[derive(clap::Args)]
pub(crate) struct LogArgs {
    /// The schedule
    id: String,
    /// Only entries before this number
    #[arg(long, value_name = "NUMBER")]
    before: Option<i64>,
    /// The maximum number of entries
    #[arg(long, value_name = "COUNT", default_value_t = 100)]
    limit: u32,
}

pub(super) async fn list(
    client: &Client,
    args: ListArgs,
    output: Output,
) -> Result<String, Failure> {
    let mut filter = ScheduleFilter::new();
    if let Some(workflow) = args.workflow.clone() {
        filter = filter.workflow(workflow);
    }
    if let Some(prefix) = args.prefix {
        filter = filter.id_prefix(prefix);
    }
    if args.paused || args.unpaused {
        filter = filter.paused(args.paused);
    }
    let schedules = client.list_schedules(&filter, args.after.as_deref(), args.limit).await?;
    if let (Some(workflow), true) = (&args.workflow, schedules.is_empty()) {
        hint_at_workflow(client, workflow).await?;
    }
    if let Some(last) = schedules.last() {
        let others = || format!("--after={}", quoted(&last.id));
        output::tell_if_full(schedules.len(), args.limit, others);
    }
    if output.json {
        return Ok(output::json(&schedules.iter().map(told).collect::<Vec<_>>()));
    }
    let rows = schedules.iter().map(|schedule| {
        let next = schedule.next.first().map(|next| output::seconds(*next).to_string());
        let paused = if schedule.paused { "paused" } else { "" };
        let started = schedule.counts.started.to_string();
        let next = next.unwrap_or_default();
        let workflow = schedule.workflow.clone().unwrap_or_default();
        let signal = schedule.signal.clone().unwrap_or_default();
        vec![schedule.id.clone(), workflow, signal, next, started, paused.to_owned()]
    });
    Ok(output::table(&["SCHEDULE", "WORKFLOW", "SIGNAL", "NEXT", "STARTED", ""], rows))
}

pub(super) async fn describe(
    client: &Client,
    id: String,
    output: Output,
) -> Result<String, Failure> {
    let schedule = client.schedule(id);
    let described = schedule.describe().await?;
    let arguments = client.payload_json(&described.arguments).await?;
    let signal = match &described.signal_payload {
        Some(payload) => Some(client.payload_json(payload).await?),
        None => None,
    };
    let log = schedule.log(None, RECENT).await?;
    if output.json {
        let mut json = told(&described);
        json["arguments"] = arguments;
        json["signal_value"] = json!(signal);
        json["log"] = log.iter().map(entry).collect();
        return Ok(output::json(&json));
    }
    let mut text = String::new();
    let mut line = |name: &str, value: String| {
        if !value.is_empty() {
            // Writing to a text cannot fail.
            let _ = writeln!(text, "{name:<18}{}", output::plain(&value));
        }
    };
    line("schedule", described.id.clone());
    if let Some((name, value)) = described.signal.as_ref().zip(signal) {
        line("sends", format!("{name}{value}"));
    }
    if let Some(workflow) = &described.workflow {
        line("starts", format!("{workflow}{arguments}"));
    }
    line("workflow id", described.workflow_id.clone());
    line("spec", compact(&described.spec));
    line("canonical", compact(&described.canonical));
    line("overlap", compact(&described.overlap).trim_matches('"').to_owned());
    line("catch-up window", format!("{:?}", described.catch_up_window));
    let limit = |limit: Option<Duration>| limit.map_or(String::new(), |limit| format!("{limit:?}"));
    line("run timeout", limit(described.run_timeout));
    line("execution timeout", limit(described.execution_timeout));
    if described.run_timeout.or(described.execution_timeout).is_some() {
        if described.timeout_clock != TimeoutClock::Calendar {
            line("timeout clock", compact(&described.timeout_clock).trim_matches('"').to_owned());
        }
        line("on timeout", on_timeout(described.on_timeout, described.cleanup_timeout));
    }
    line("tried again", described.retry.as_ref().map_or(String::new(), tried_again));
    for (name, value) in &described.attributes {
        line("attribute", format!("{name} = {value}"));
    }
    for (name, value) in described.memo.iter() {
        line("memo", format!("{name}: {value}"));
    }
    line("on failure", if described.pause_on_failure { "pause" } else { "" }.to_owned());
    line("revision", described.revision.to_string());
    line("paused", if described.paused { "yes" } else { "no" }.to_owned());
    line("note", described.note.clone());
    let left = described.remaining_actions.map(|left| left.to_string());
    line("actions left", left.unwrap_or_default());
    line("running", described.running.iter().map(|id| format!("{id} ")).collect());
    line("waiting", described.waiting.iter().map(|at| format!("{at} ")).collect());
    line("backfilling", if described.is_backfilling { "yes" } else { "" }.to_owned());
    line("counts", compact(&described.counts));
    for next in &described.next {
        line("next", next.to_string());
    }
    Ok(text + "\n" + &table(&log))
}

fn on_timeout(on_timeout: OnTimeout, cleanup: Duration) -> String {
    match on_timeout {
        OnTimeout::Cancel => format!("ask to cancel, close after {cleanup:?} more"),
        _ => "close".to_owned(),
    }
}

fn tried_again(retry: &WorkflowRetry) -> String {
    let WorkflowRetry { policy, non_retryable } = retry;
    let mut text = match policy.max_attempts {
        0 => "without a limit".to_owned(),
        attempts => format!("{attempts} attempts"),
    };
    text += &format!(", first after {:?}", policy.initial_interval);
    if !non_retryable.is_empty() {
        text += &format!(", not after {}", non_retryable.join(", "));
    }
    text
}

/// A value in its JSON form, on one line.
fn compact(value: &impl Serialize) -> String {
    serde_json::to_string(value).unwrap_or_default()
}

pub(super) async fn log(client: &Client, args: LogArgs, output: Output) -> Result<String, Failure> {
    let schedule = client.schedule(args.id);
    // A schedule that is not there has no log, but it is another thing to say so.
    schedule.describe().await?;
    let log = schedule.log(args.before, args.limit).await?;
    if let Some(last) = log.last() {
        output::tell_if_full(log.len(), args.limit, || format!("--before={}", last.seq));
    }
    if output.json {
        return Ok(output::json(&log.iter().map(entry).collect::<Vec<_>>()));
    }
    Ok(table(&log))
}

fn table(log: &[LogEntry]) -> String {
    let rows = log.iter().map(|one| {
        let json = entry(one);
        let kind = json["kind"].as_str().unwrap_or_default().to_owned();
        let text = |value: Option<String>| value.unwrap_or_default();
        let note = ["note", "reason", "by", "from", "signal", "workflow_id"]
            .iter()
            .find_map(|name| json[*name].as_str());
        vec![
            one.seq.to_string(),
            output::seconds(one.at).to_string(),
            kind,
            text(one.nominal_at.map(|at| at.to_string())),
            text(one.run_id.map(|run_id| run_id.to_string())),
            note.unwrap_or_default().to_owned(),
        ]
    });
    output::table(&["NO", "AT", "WHAT", "NOMINAL", "RUN", "NOTE"], rows)
}

/// An entry with its times as texts.
fn entry(entry: &LogEntry) -> serde_json::Value {
    let mut json = serde_json::to_value(&entry.what).unwrap_or_default();
    json["seq"] = entry.seq.into();
    json["at"] = entry.at.to_string().into();
    if let Some(nominal_at) = entry.nominal_at {
        json["nominal_at"] = nominal_at.to_string().into();
    }
    if let Some(run_id) = entry.run_id {
        json["run_id"] = run_id.to_string().into();
    }
    json
}

/// A description with its times as texts and its durations in milliseconds.
fn told(schedule: &ScheduleDescription) -> serde_json::Value {
    let mut json = schedule.serialize(serde_json::value::Serializer).unwrap_or_default();
    let texts = |times: &[Timestamp]| times.iter().map(ToString::to_string).collect::<Vec<_>>();
    json["created_at"] = schedule.created_at.to_string().into();
    json["waiting"] = json!(texts(&schedule.waiting));
    json["next"] = json!(texts(&schedule.next));
    let millis = |time: Duration| format!("{}ms", time.as_millis());
    json["catch_up_window"] = json!(millis(schedule.catch_up_window));
    json["cleanup_timeout"] = json!(millis(schedule.cleanup_timeout));
    json["run_timeout"] = json!(schedule.run_timeout.map(millis));
    json["execution_timeout"] = json!(schedule.execution_timeout.map(millis));
    if let Some(WorkflowRetry { policy, .. }) = &schedule.retry {
        let json = &mut json["retry"]["policy"];
        json["initial_interval"] = json!(millis(policy.initial_interval));
        json["max_interval"] = json!(policy.max_interval.map(millis));
    }
    let attributes = schedule.attributes.iter();
    let attributes = attributes.map(|(name, value)| (name.clone(), attribute(value)));
    json["attributes"] = Value::Object(attributes.collect());
    json
}
