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
    /// Count the runs that would be changed, and change none
    #[arg(long)]
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
    /// Whether a filter is given, or the runs are only counted.
    pub(super) fn are_meant(&self) -> bool {
        self.have_filter() || self.dry_run
    }

    /// Refuses what has a meaning only with a filter. The parser does not: it requires nothing that the run's id
    /// conflicts with.
    pub(super) fn check_one(&self) -> Result<(), Failure> {
        match self.after.is_some() || self.key.is_some() {
            true => Err(Failure::Usage("`--after` and `--key` need `--filter`".to_owned())),
            false => Ok(()),
        }
    }

    /// Whether a filter is given.
    pub(super) fn have_filter(&self) -> bool {
        self.filter.is_some()
    }

    /// Refuses to count the one run that a signal is for.
    pub(super) fn check_signal(&self) -> Result<(), Failure> {
        match self.dry_run {
            true => Err(Failure::Usage("`--dry-run` of a signal needs `--filter`".to_owned())),
            false => Ok(()),
        }
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
    let value = value.as_deref().map_or(Ok(Value::Null), parse_json).map_err(Failure::Usage)?;
    if none.is_some() {
        let message = "with --filter, give a signal and its value, and no run".to_owned();
        return Err(Failure::Usage(message));
    }
    let change = client.signal_all_json(many.filter(), name, &value);
    make(client, change, many, because, output).await
}

/// What comes of a change of one run, as JSON and as a sentence.
type Done = (&'static str, &'static str);

pub(super) async fn cancel(
    client: &Client,
    args: EndArgs,
    output: Output,
) -> Result<String, Failure> {
    let done = ("sent", "the request to cancel was sent");
    one_or_many(client, args, |filter| client.cancel_all(filter), done, output).await
}

pub(super) async fn terminate(
    client: &Client,
    args: EndArgs,
    output: Output,
) -> Result<String, Failure> {
    let done = ("terminated", "the run is terminated");
    one_or_many(client, args, |filter| client.terminate_all(filter), done, output).await
}

pub(super) async fn delete(
    client: &Client,
    args: EndArgs,
    output: Output,
) -> Result<String, Failure> {
    let done = ("deleted", "the run is deleted");
    one_or_many(client, args, |filter| client.delete_all(filter), done, output).await
}

pub(super) async fn retry(
    client: &Client,
    args: EndArgs,
    output: Output,
) -> Result<String, Failure> {
    many(client, args, |filter| client.retry_all(filter), output).await
}

pub(super) async fn pause(
    client: &Client,
    args: EndArgs,
    output: Output,
) -> Result<String, Failure> {
    many(client, args, |filter| client.pause_all(filter), output).await
}

pub(super) async fn resume(
    client: &Client,
    args: EndArgs,
    output: Output,
) -> Result<String, Failure> {
    many(client, args, |filter| client.resume_all(filter), output).await
}

/// Changes the named run, or the runs that match the filter.
async fn one_or_many(
    client: &Client,
    args: EndArgs,
    change: impl FnOnce(Filter) -> ChangeMany,
    done: Done,
    output: Output,
) -> Result<String, Failure> {
    if args.many.are_meant() {
        return many(client, args, change, output).await;
    }
    args.many.check_one()?;
    let id = args.id.unwrap_or_default();
    let run_id = super::find(client, &id).await?;
    let who = if args.many.by.is_empty() { "program" } else { &args.many.by };
    let change = change(filter::run_id().equals(run_id)).by(who);
    if change.because(args.because.unwrap_or_default()).await?.changed == 0 {
        return Err(match client.find(run_id).await? {
            Some(run) if run.status.is_open() => Failure::Open { id, status: run.status },
            Some(run) => Failure::Over { id, status: run.status },
            None => Failure::NoRun(id),
        });
    }
    let (key, text) = done;
    Ok(output.say(&json!({ key: true }), || format!("{text}\n")))
}

/// Changes the runs that match the filter. A dry run of one run counts it.
async fn many(
    client: &Client,
    args: EndArgs,
    change: impl FnOnce(Filter) -> ChangeMany,
    output: Output,
) -> Result<String, Failure> {
    let filter = match &args.id {
        Some(id) => {
            args.many.check_one()?;
            filter::run_id().equals(super::find(client, id).await?)
        }
        None => args.many.filter(),
    };
    make(client, change(filter), args.many, args.because, output).await
}

async fn make(
    client: &Client,
    change: ChangeMany,
    args: ManyArgs,
    because: Option<String>,
    output: Output,
) -> Result<String, Failure> {
    if let Some(filter) = &args.filter {
        hint_at_attributes(client, filter).await?;
    }
    let ManyArgs { dry_run, rate, after, key, by, .. } = args;
    let mut change = change.by(by).because(because.unwrap_or_default()).rate(rate);
    if dry_run {
        change = change.dry_run();
    } else {
        change = change.on_progress(|done| {
            if let Some(last) = done.last.filter(|_| !done.is_over) {
                output::tell(&format!(
                    "{} changed, {} left unchanged so far; if this is interrupted, continue with --after={last}",
                    done.changed, done.left
                ));
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
