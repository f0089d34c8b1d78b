//! Changes of all runs that a filter means.

use piton::client::{ChangeMany, Client, ManyChanged};
use piton::filter::Filter;
use piton::store::RunCursor;
use serde_json::{Value, json};

use crate::error::Failure;
use crate::output::{self, Output};

/// Which runs are changed, by whom, and how fast.
#[derive(clap::Args)]
pub(crate) struct ManyArgs {
    /// All runs of which this holds, such as `state = 'approve' and since < now() - interval '3 days'`
    #[arg(long, value_name = "CONDITION")]
    filter: Filter,
    /// Tell how many runs there are, and change none
    #[arg(long)]
    dry_run: bool,
    /// How many runs to change in a second at most
    #[arg(long, value_name = "COUNT", default_value_t = 100)]
    rate: u32,
    /// Go on where another call has stopped: what that told
    #[arg(long, value_name = "PLACE", allow_hyphen_values = true)]
    after: Option<RunCursor>,
    /// By what signals and requests are known that the call is made again: a run gets one with the same key once
    #[arg(long, value_name = "KEY")]
    key: Option<String>,
    /// Who makes the change, for the audit table
    #[arg(long, value_name = "NAME", env = "USER", default_value = "", hide_default_value = true)]
    by: String,
    /// Why it is made, for the audit table and for those who wait for the runs
    #[arg(long, value_name = "REASON", default_value = "", hide_default_value = true)]
    because: String,
}

#[derive(clap::Args)]
pub(crate) struct SignalAllArgs {
    /// The signal's stored name, by default that of its type
    signal: String,
    /// Its value, as JSON
    #[arg(value_parser = parse_json)]
    value: Value,
    #[command(flatten)]
    many: ManyArgs,
}

/// What is done to runs that a filter means
#[derive(clap::Subcommand)]
pub(crate) enum ManyCommand {
    /// Send a signal to open runs
    Signal(SignalAllArgs),
    /// Ask open runs to cancel
    Cancel(ManyArgs),
    /// Terminate open runs
    Terminate(ManyArgs),
    /// Give blocked runs another try
    Retry(ManyArgs),
    /// Delete runs that are over, with all their rows
    Delete(ManyArgs),
}

fn parse_json(text: &str) -> Result<Value, String> {
    serde_json::from_str(text).map_err(|error| format!("it is not JSON: {error}"))
}

pub(super) async fn carry_out(
    client: &Client,
    command: ManyCommand,
    output: Output,
) -> Result<String, Failure> {
    match command {
        ManyCommand::Signal(SignalAllArgs { signal, value, many }) => {
            let change = client.signal_all_json(&many.filter, signal, &value);
            make(change, many, output).await
        }
        ManyCommand::Cancel(many) => make(client.cancel_all(&many.filter), many, output).await,
        ManyCommand::Terminate(many) => {
            make(client.terminate_all(&many.filter), many, output).await
        }
        ManyCommand::Retry(many) => make(client.retry_all(&many.filter), many, output).await,
        ManyCommand::Delete(many) => make(client.delete_all(&many.filter), many, output).await,
    }
}

async fn make(change: ChangeMany, args: ManyArgs, output: Output) -> Result<String, Failure> {
    let ManyArgs { dry_run, rate, after, key, by, because, .. } = args;
    let mut change = change.by(by).because(because).rate(rate);
    if dry_run {
        change = change.dry_run();
    } else {
        change = change.on_progress(|done| {
            if let Some(last) = done.last.filter(|_| !done.is_over) {
                eprintln!(
                    "{} changed, {} left; go on with --after={last}",
                    done.changed, done.left
                );
            }
        });
    }
    if let Some(after) = after {
        change = change.after(after);
    }
    if let Some(key) = key {
        change = change.key(key);
    }
    let done = change.await?;
    if output.json {
        return Ok(output::json(&to_json(&done)));
    }
    Ok(match dry_run {
        true => format!("{} would be changed\n", done.changed),
        false => format!("{} changed, {} left as they are\n", done.changed, done.left),
    })
}

fn to_json(done: &ManyChanged) -> Value {
    json!({
        "matched": done.matched,
        "changed": done.changed,
        "left": done.left,
        "last": done.last.map(|last| last.to_string()),
    })
}
