//! Changes of one run, or of all runs that match a filter.

use piton::client::{ChangeMany, Client, ManyChanged};
use piton::filter::{self, Filter, FilterError};
use piton::store::RunCursor;
use serde_json::{Value, json};

use super::act::{EndArgs, SignalArgs, parse_json};
use super::list::hint_at_attributes;
use crate::error::Failure;
use crate::output::{self, Output};

/// Which runs to change, by whom, and how fast.
#[derive(clap::Args)]
pub(crate) struct ManyArgs {
    /// Instead of a run: all runs that match this filter, such as `state = 'approve' and since < now() - interval
    /// '3 days'`
    #[arg(long, value_name = "CONDITION", value_parser = parse_condition)]
    filter: Option<Filter>,
    /// Count the runs that match, and change none
    #[arg(long, requires = "filter")]
    dry_run: bool,
    /// The maximum number of runs changed per second
    #[arg(long, value_name = "COUNT", default_value_t = 100)]
    rate: u32,
    /// Continue where another call has stopped, with the cursor that it printed
    #[arg(long, value_name = "PLACE", allow_hyphen_values = true, requires = "filter")]
    after: Option<RunCursor>,
    /// A dedup key for signals and requests to cancel: each run accepts one with it, even if the command is
    /// repeated
    #[arg(long, value_name = "KEY", requires = "filter")]
    key: Option<String>,
    /// Who makes the change, for the audit table
    #[arg(long, value_name = "NAME", env = "USER", default_value = "", hide_default_value = true)]
    pub(super) by: String,
}

/// A blank condition is more likely a variable of the shell that is not set than a wish to change all runs.
fn parse_condition(text: &str) -> Result<Filter, String> {
    match text.trim().is_empty() {
        true => Err("it is blank; for all runs, write `run_id is not null`".to_owned()),
        false => text.parse().map_err(|error: FilterError| error.to_string()),
    }
}

impl ManyArgs {
    /// Whether a filter is given.
    pub(super) fn are_meant(&self) -> bool {
        self.filter.is_some()
    }

    fn filter(&self) -> Filter {
        self.filter.clone().unwrap_or_default()
    }
}

pub(super) async fn signal(
    client: &Client,
    args: SignalArgs,
    output: Output,
) -> Result<String, Failure> {
    // Without a run, the first argument is the signal.
    let SignalArgs { id: name, name: value, value: none, because, many, .. } = args;
    let value = value.as_deref().map_or(Ok(Value::Null), parse_json).map_err(Failure::Run)?;
    if none.is_some() {
        let message = "with --filter, give a signal and its value, and no run".to_owned();
        return Err(Failure::Run(message));
    }
    let change = client.signal_all_json(many.filter(), name, &value);
    make(client, change, many, because, output).await
}

pub(super) async fn cancel(
    client: &Client,
    args: EndArgs,
    output: Output,
) -> Result<String, Failure> {
    make(client, client.cancel_all(args.many.filter()), args.many, args.because, output).await
}

pub(super) async fn terminate(
    client: &Client,
    args: EndArgs,
    output: Output,
) -> Result<String, Failure> {
    make(client, client.terminate_all(args.many.filter()), args.many, args.because, output).await
}

pub(super) async fn retry(
    client: &Client,
    args: EndArgs,
    output: Output,
) -> Result<String, Failure> {
    make(client, client.retry_all(args.many.filter()), args.many, args.because, output).await
}

pub(super) async fn pause(
    client: &Client,
    args: EndArgs,
    output: Output,
) -> Result<String, Failure> {
    make(client, client.pause_all(args.many.filter()), args.many, args.because, output).await
}

pub(super) async fn resume(
    client: &Client,
    args: EndArgs,
    output: Output,
) -> Result<String, Failure> {
    make(client, client.resume_all(args.many.filter()), args.many, args.because, output).await
}

pub(super) async fn delete(
    client: &Client,
    args: EndArgs,
    output: Output,
) -> Result<String, Failure> {
    let filter = one_or_many(client, &args).await?;
    make(client, client.delete_all(filter), args.many, args.because, output).await
}

/// The named run, or the runs that match the filter.
async fn one_or_many(client: &Client, args: &EndArgs) -> Result<Filter, Failure> {
    match &args.id {
        Some(id) => Ok(filter::run_id().equals(super::find(client, id).await?)),
        None => Ok(args.many.filter()),
    }
}

async fn make(
    client: &Client,
    change: ChangeMany,
    args: ManyArgs,
    because: Option<String>,
    output: Output,
) -> Result<String, Failure> {
    let is_one = !args.are_meant();
    if let Some(filter) = &args.filter {
        hint_at_attributes(client, filter).await?;
    }
    let ManyArgs { dry_run, rate, after, key, by, .. } = args;
    let mut change = change.by(by).because(because.unwrap_or_default()).rate(rate);
    if dry_run {
        change = change.dry_run();
    } else if !is_one {
        change = change.on_progress(|done| {
            if let Some(last) = done.last.filter(|_| !done.is_over) {
                eprintln!(
                    "{} changed, {} left; continue with --after={last}",
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
    if let (0, [refusal, ..]) = (done.changed, &done.refusals[..]) {
        return Err(Failure::Run(format!("{refusal}; {} runs are left unchanged", done.left)));
    }
    if output.json {
        return Ok(output::json(&to_json(&done)));
    }
    Ok(match dry_run {
        true => format!("{} would be changed\n", done.changed),
        false => {
            let refusals = done.refusals.iter().map(|refusal| format!("refused: {refusal}\n"));
            let counts = format!("{} changed, {} left unchanged\n", done.changed, done.left);
            std::iter::once(counts).chain(refusals).collect()
        }
    })
}

fn to_json(done: &ManyChanged) -> Value {
    json!({
        "matched": done.matched,
        "changed": done.changed,
        "left": done.left,
        "refusals": done.refusals,
        "last": done.last.map(|last| last.to_string()),
    })
}
