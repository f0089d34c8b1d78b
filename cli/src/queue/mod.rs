//! `piton queue`: the status of queues, pausing and limiting them, and calls that have failed.

mod partitions;

use std::num::NonZeroU32;

use clap::Subcommand;
use piton::client::{Client, FailedCall};
use piton::model::Timestamp;
use piton::store::{FailedCallId, QueueRecord, ResumeOutcome};
use serde_json::{Value, json};

use self::partitions::LimitArgs;
use crate::error::Failure;
use crate::output::{self, Output, ago};
use crate::shell::quoted;

#[derive(Subcommand)]
pub(crate) enum QueueCommand {
    /// List the queues that have activities or are paused
    List,
    /// Show the status of a queue
    Show {
        /// The queue's name
        queue: String,
    },
    /// Stop all workers from taking activities of a queue, until it is resumed
    ///
    /// Running attempts continue, and the time limits of waiting activities still apply.
    Pause {
        /// The queue's name
        queue: String,
        /// The reason, for people
        #[arg(long, value_name = "REASON")]
        because: String,
    },
    /// Pause a queue, and wait until no attempt is running
    ///
    /// The queue stays paused until it is resumed, even if the command is interrupted. Attempts that wait for the
    /// holder of their token are not waited for.
    Drain {
        /// The queue's name
        queue: String,
        /// The reason, for people
        #[arg(long, value_name = "REASON")]
        because: String,
    },
    /// Let workers take activities of a paused queue again
    Resume {
        /// The queue's name
        queue: String,
    },
    Limit(LimitArgs),
    /// Set how many calls of a partition are taken in its turn
    Weigh {
        /// The queue's name
        queue: String,
        /// The partition's name; '' is that of the calls without a partition
        partition: String,
        /// The number
        #[arg(value_parser = partitions::at_least_one)]
        weight: NonZeroU32,
    },
    /// List the partitions of a queue that have activities or a weight
    Partitions {
        /// The queue's name
        queue: String,
        /// The most partitions to list
        #[arg(long, default_value_t = 100, value_name = "N")]
        limit: u32,
        /// Only those behind this one
        #[arg(long, value_name = "PARTITION")]
        after: Option<String>,
    },
    /// List the calls on a queue that have failed for good
    Failed {
        /// The queue's name
        queue: String,
        /// The maximum number
        #[arg(long, default_value_t = 100, value_name = "N")]
        limit: u32,
        /// Only calls after this one
        #[arg(long, value_name = "ID")]
        after: Option<i64>,
    },
    /// Put failed calls on their queue again
    ///
    /// A run that has received the failure does not receive the new outcome. The outcome of an item replaces the
    /// failure under its key; that of a call without a key is discarded.
    Redrive {
        /// The queue's name
        queue: String,
        /// The calls' ids
        #[arg(required_unless_present = "all", conflicts_with = "all", value_name = "ID")]
        ids: Vec<i64>,
        /// Redrive all failed calls of the queue
        #[arg(long)]
        all: bool,
    },
    /// Delete failed calls for good
    Discard {
        /// The queue's name
        queue: String,
        /// The calls' ids
        #[arg(required = true, value_name = "ID")]
        ids: Vec<i64>,
    },
}

pub(crate) async fn carry_out(
    client: &Client,
    command: QueueCommand,
    output: Output,
) -> Result<String, Failure> {
    match command {
        QueueCommand::List => {
            let queues = client.queues().await?;
            let data: Vec<_> = queues.iter().map(to_json).collect();
            Ok(output.say(&data, || table(&queues)))
        }
        QueueCommand::Show { queue } => {
            let queue = status_or_hint(client, &queue).await?;
            Ok(output.say(&to_json(&queue), || table(&[queue])))
        }
        QueueCommand::Pause { queue, because } => {
            status_or_hint(client, &queue).await?;
            client.queue(&queue).pause(&because).await?;
            let data = json!({ "queue": queue, "paused": true });
            Ok(output.say(&data, || format!("the queue `{queue}` is paused\n")))
        }
        QueueCommand::Drain { queue, because } => {
            status_or_hint(client, &queue).await?;
            let drained = client.queue(&queue).drain(&because).await?;
            let text = || format!("the queue `{queue}` is drained and paused\n");
            Ok(output.say(&to_json(&drained), text))
        }
        QueueCommand::Resume { queue } => {
            let was_paused = client.queue(&queue).resume().await? == ResumeOutcome::Resumed;
            if !was_paused {
                status_or_hint(client, &queue).await?;
            }
            let data = json!({ "queue": queue, "was_paused": was_paused });
            let verb = if was_paused { "is resumed" } else { "was not paused" };
            Ok(output.say(&data, || format!("the queue `{queue}` {verb}\n")))
        }
        QueueCommand::Limit(limit) => limit.carry_out(client, output).await,
        QueueCommand::Weigh { queue, partition, weight } => {
            client.queue(&queue).weigh(&partition, weight.get()).await?;
            let data = json!({ "queue": queue, "partition": partition, "weight": weight.get() });
            let text =
                || format!("the partition `{partition}` of `{queue}` has the weight {weight}\n");
            Ok(output.say(&data, text))
        }
        QueueCommand::Partitions { queue, limit, after } => {
            let partitions = client.queue(&queue).partitions(after.as_deref(), limit).await?;
            if partitions.is_empty() && after.is_none() {
                status_or_hint(client, &queue).await?;
            }
            let last = partitions.last().map(|last| quoted(&last.partition));
            let others = || format!("--after={}", last.unwrap_or_default());
            output::tell_if_full(partitions.len(), limit, others);
            let data: Vec<_> = partitions.iter().map(partitions::to_json).collect();
            Ok(output.say(&data, || partitions::table(&partitions)))
        }
        QueueCommand::Failed { queue, limit, after } => {
            let calls = client.queue(&queue).failed(after.map(FailedCallId), limit).await?;
            if calls.is_empty() && after.is_none() {
                status_or_hint(client, &queue).await?;
            }
            let last = calls.last().map_or(0, |last| last.id.0);
            output::tell_if_full(calls.len(), limit, || format!("--after={last}"));
            let mut data = Vec::with_capacity(calls.len());
            for call in &calls {
                data.push(failed_to_json(call, client.payload_json(&call.arguments).await?));
            }
            Ok(output.say(&data, || failed_table(&calls)))
        }
        QueueCommand::Redrive { queue, ids, all } => {
            let queue = client.queue(queue);
            let redriven = match all {
                true => queue.redrive_all().await?,
                false => {
                    let named = ids.len();
                    all_of(named, queue.redrive(&numbered(ids)).await?, queue.name())?
                }
            };
            if redriven == 0 {
                status_or_hint(client, queue.name()).await?;
            }
            let data = json!({ "queue": queue.name(), "redriven": redriven });
            let text = || format!("{redriven} put on the queue `{}` again\n", queue.name());
            Ok(output.say(&data, text))
        }
        QueueCommand::Discard { queue, ids } => {
            let queue = client.queue(queue);
            let named = ids.len();
            let discarded = all_of(named, queue.discard(&numbered(ids)).await?, queue.name())?;
            let data = json!({ "queue": queue.name(), "discarded": discarded });
            let text = || format!("{discarded} discarded from the queue `{}`\n", queue.name());
            Ok(output.say(&data, text))
        }
    }
}

/// The state of a queue. Writes a hint if nothing is known of it: the command may come before the first call, or have a
/// wrong name.
async fn status_or_hint(client: &Client, queue: &str) -> Result<QueueRecord, Failure> {
    let status = client.queue(queue).status().await?;
    let mut unknown = QueueRecord::default();
    unknown.queue.clone_from(&status.queue);
    if status == unknown {
        output::tell(&format!(
            "hint: nothing is on the queue `{queue}`; `piton queue list` lists the queues that have activities"
        ));
    }
    Ok(status)
}

/// The number of calls that a command has moved, if that are all that it named.
fn all_of(named: usize, moved: u64, queue: &str) -> Result<u64, Failure> {
    if moved == named as u64 {
        return Ok(moved);
    }
    Err(Failure::NoCalls { queue: queue.to_owned(), named, moved })
}

fn numbered(ids: Vec<i64>) -> Vec<FailedCallId> {
    ids.into_iter().map(FailedCallId).collect()
}

fn failed_table(calls: &[FailedCall]) -> String {
    let now = Timestamp::now();
    let rows = calls.iter().map(|call| {
        vec![
            call.id.to_string(),
            call.activity.clone(),
            call.key.clone().unwrap_or_default(),
            call.partition.clone(),
            call.workflow_id.clone(),
            call.attempts.to_string(),
            ago(call.failed_at, now),
            call.failure.lines().next().unwrap_or_default().to_owned(),
        ]
    });
    let titles =
        ["ID", "ACTIVITY", "KEY", "PARTITION", "WORKFLOW ID", "ATTEMPTS", "FAILED", "ERROR"];
    output::table(&titles, rows)
}

fn failed_to_json(call: &FailedCall, arguments: Value) -> Value {
    json!({
        "id": call.id.0,
        "activity": call.activity,
        "key": call.key,
        "partition": call.partition,
        "workflow_id": call.workflow_id,
        "run_id": call.run_id.map(|run_id| run_id.to_string()),
        "arguments": arguments,
        "attempts": call.attempts,
        "failure": call.failure,
        "failed_at": call.failed_at.to_string(),
    })
}

fn table(queues: &[QueueRecord]) -> String {
    let now = Timestamp::now();
    let rows = queues.iter().map(|queue| {
        let paused = queue.paused.as_ref().map(|paused| match &*paused.reason {
            "" => ago(paused.since, now),
            reason => format!("{}: {reason}", ago(paused.since, now)),
        });
        vec![
            queue.queue.clone(),
            queue.waiting.to_string(),
            queue.delayed.to_string(),
            queue.under_way.to_string(),
            queue.awaiting_token.to_string(),
            queue.oldest_due_at.map_or_else(String::new, |at| ago(at, now)),
            partitions::limits_text(&queue.limits),
            paused.unwrap_or_default(),
        ]
    });
    let titles =
        ["QUEUE", "WAITING", "DELAYED", "UNDER WAY", "ON TOKEN", "OLDEST", "LIMITS", "PAUSED"];
    output::table(&titles, rows)
}

fn to_json(queue: &QueueRecord) -> Value {
    let paused = queue.paused.as_ref();
    json!({
        "queue": queue.queue,
        "waiting": queue.waiting,
        "delayed": queue.delayed,
        "under_way": queue.under_way,
        "awaiting_token": queue.awaiting_token,
        "drained": queue.is_drained(),
        "oldest_due_at": queue.oldest_due_at.map(|at| at.to_string()),
        "limits": partitions::limits_to_json(&queue.limits),
        "paused": paused.map(|paused| json!({
            "since": paused.since.to_string(),
            "reason": paused.reason,
        })),
    })
}
