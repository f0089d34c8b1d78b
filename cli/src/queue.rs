//! `piton queue`: the status of queues, and pausing them.

use clap::Subcommand;
use piton::client::Client;
use piton::model::Timestamp;
use piton::store::{QueueRecord, ResumeOutcome};
use serde_json::{Value, json};

use crate::error::Failure;
use crate::output::{self, Output, ago};

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
}

pub(crate) async fn carry_out(
    client: &Client,
    command: QueueCommand,
    output: Output,
) -> Result<String, Failure> {
    match command {
        QueueCommand::List => {
            let queues = client.queues().await?;
            Ok(match output.json {
                true => output::json(&queues.iter().map(to_json).collect::<Vec<_>>()),
                false => table(&queues),
            })
        }
        QueueCommand::Show { queue } => {
            let queue = client.queue(queue).status().await?;
            Ok(match output.json {
                true => output::json(&to_json(&queue)),
                false => table(&[queue]),
            })
        }
        QueueCommand::Pause { queue, because } => {
            client.queue(&queue).pause(&because).await?;
            Ok(match output.json {
                true => output::json(&json!({ "queue": queue, "paused": true })),
                false => format!("the queue `{queue}` is paused\n"),
            })
        }
        QueueCommand::Drain { queue, because } => {
            let drained = client.queue(&queue).drain(&because).await?;
            Ok(match output.json {
                true => output::json(&to_json(&drained)),
                false => format!("the queue `{queue}` is drained and paused\n"),
            })
        }
        QueueCommand::Resume { queue } => {
            let was_paused = client.queue(&queue).resume().await? == ResumeOutcome::Resumed;
            Ok(match (output.json, was_paused) {
                (true, _) => output::json(&json!({ "queue": queue, "was_paused": was_paused })),
                (false, true) => format!("the queue `{queue}` is resumed\n"),
                (false, false) => format!("the queue `{queue}` was not paused\n"),
            })
        }
    }
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
            paused.unwrap_or_default(),
        ]
    });
    let titles = ["QUEUE", "WAITING", "DELAYED", "UNDER WAY", "ON TOKEN", "OLDEST", "PAUSED"];
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
        "paused": paused.map(|paused| json!({
            "since": paused.since.to_string(),
            "reason": paused.reason,
        })),
    })
}
