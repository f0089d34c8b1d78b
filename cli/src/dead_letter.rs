//! `piton dead-letter`: messages that reached no run, and signals that their run could not take.

use clap::Subcommand;
use piton::client::Client;
use piton::model::Timestamp;
use piton::store::{ArrivalKind, DeadLetter, DeadLetterFilter, DeadLetterId, RedeliverOutcome};
use serde_json::{Value, json};

use crate::error::Failure;
use crate::output::{self, Output, ago};

#[derive(Subcommand)]
pub(crate) enum DeadLetterCommand {
    /// List dead letters, the oldest first
    List {
        /// Only those that were sent to this workflow id
        #[arg(long, value_name = "ID")]
        workflow_id: Option<String>,
        /// Only those that this run could not take: its run id or workflow id
        #[arg(long, value_name = "RUN")]
        run: Option<String>,
        /// The maximum number of dead letters
        #[arg(long, value_name = "COUNT", default_value_t = 100)]
        limit: u32,
    },
    /// Put dead letters into the inbox of the open run that has their workflow id
    Redeliver {
        /// The dead letters' ids
        #[arg(required = true, value_name = "ID")]
        ids: Vec<i64>,
    },
    /// Delete dead letters for good
    Drop {
        /// The dead letters' ids
        #[arg(required = true, value_name = "ID")]
        ids: Vec<i64>,
    },
}

/// Returns the text for stdout, and whether all that were named were there and could be moved.
pub(crate) async fn carry_out(
    client: &Client,
    command: DeadLetterCommand,
    output: Output,
) -> Result<(String, bool), Failure> {
    match command {
        DeadLetterCommand::List { workflow_id, run, limit } => {
            let run_id = match run {
                Some(id) => Some(super::run::find(client, &id).await?),
                None => None,
            };
            let filter = DeadLetterFilter { workflow_id, run_id };
            let letters = client.dead_letters(&filter, limit).await?;
            let others = || "--limit sets the number".to_owned();
            output::tell_if_full(letters.len(), limit, others);
            Ok((list(client, &letters, output).await?, true))
        }
        DeadLetterCommand::Redeliver { ids } => {
            let ids = numbered(ids);
            let outcomes = client.redeliver_dead_letters(&ids).await?;
            let is_well =
                outcomes.iter().all(|one| matches!(one, RedeliverOutcome::Delivered { .. }));
            let outcomes: Vec<_> = ids.iter().zip(outcomes).collect();
            let data: Vec<_> = outcomes.iter().map(outcome_to_json).collect();
            Ok((output.say(&data, || outcomes.iter().map(said).collect()), is_well))
        }
        DeadLetterCommand::Drop { ids } => {
            let named = ids.len() as u64;
            let dropped = client.drop_dead_letters(&numbered(ids)).await?;
            let gone = named.saturating_sub(dropped);
            let text = output.say(&json!({ "dropped": dropped }), || match gone {
                0 => format!("{dropped} dropped\n"),
                gone => format!("{dropped} dropped, {gone} of these ids are not there\n"),
            });
            Ok((text, dropped == named))
        }
    }
}

fn numbered(ids: Vec<i64>) -> Vec<DeadLetterId> {
    ids.into_iter().map(DeadLetterId).collect()
}

async fn list(client: &Client, letters: &[DeadLetter], output: Output) -> Result<String, Failure> {
    let now = Timestamp::now();
    let (mut data, mut rows) = (Vec::new(), Vec::new());
    for letter in letters {
        let (kind, name) = content(&letter.arrival);
        let value = client.dead_letter_json(letter).await?;
        let DeadLetter { id, workflow_id, run_id, set_aside_at, reason, .. } = letter;
        data.push(json!({
            "id": id.0,
            "workflow_id": workflow_id,
            "run_id": run_id.map(|run_id| run_id.to_string()),
            "kind": kind,
            "name": name,
            "value": value,
            "reason": reason.to_string(),
            "set_aside_at": set_aside_at.to_string(),
        }));
        rows.push(vec![
            id.to_string(),
            workflow_id.clone(),
            format!("{kind} {name}").trim_end().to_owned(),
            value.to_string(),
            ago(*set_aside_at, now),
            reason.to_string().lines().next().unwrap_or_default().to_owned(),
        ]);
    }
    let titles = ["ID", "WORKFLOW ID", "MESSAGE", "VALUE", "SINCE", "REASON"];
    Ok(output.say(&data, || output::table(&titles, rows)))
}

/// The kind of a message and its name.
fn content(arrival: &ArrivalKind) -> (&'static str, &str) {
    match arrival {
        ArrivalKind::Signal { name, .. } => ("signal", name),
        ArrivalKind::Update { name, .. } => ("update", name),
        ArrivalKind::Cancel { .. } | ArrivalKind::TimedOut { .. } => ("cancel", ""),
        ArrivalKind::Unreadable { .. } => ("unreadable", ""),
        _ => ("other", ""),
    }
}

fn said((id, outcome): &(&DeadLetterId, RedeliverOutcome)) -> String {
    match outcome {
        RedeliverOutcome::Delivered { run_id, .. } => format!("{id} is delivered to {run_id}\n"),
        RedeliverOutcome::NoRun => format!("{id} stays: no open run has its workflow id\n"),
        RedeliverOutcome::Gone => format!("there is no dead letter {id}\n"),
    }
}

fn outcome_to_json((id, outcome): &(&DeadLetterId, RedeliverOutcome)) -> Value {
    let (outcome, run_id) = match outcome {
        RedeliverOutcome::Delivered { run_id, .. } => ("delivered", Some(run_id.to_string())),
        RedeliverOutcome::NoRun => ("no_run", None),
        RedeliverOutcome::Gone => ("gone", None),
    };
    json!({ "id": id.0, "outcome": outcome, "run_id": run_id })
}
