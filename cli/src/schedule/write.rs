//! Creating and changing schedules.

use std::time::Duration;

use piton::client::{Client, CreateSchedule, Overlap};
use piton::schedule::{Calendar, Interval, Spec, UnixSeconds};
use serde_json::{Value, json};

use super::{changed, overlap};
use crate::error::Failure;
use crate::output::Output;
use crate::run::parse_json;
use crate::terms::{TermsArgs, duration};

/// What a schedule says of its times.
#[derive(clap::Args)]
struct SpecArgs {
    /// A cron string, such as `0 12 * * MON-FRI`; may be given several times
    #[arg(long, value_name = "CRON")]
    cron: Vec<String>,
    /// An interval, such as `90m`; may be given several times
    #[arg(long, value_name = "DURATION", value_parser = duration)]
    every: Vec<Duration>,
    /// A calendar as JSON, such as `{"dayOfMonth": "1", "hour": "6"}`; may be given several times
    #[arg(long, value_name = "JSON", value_parser = calendar)]
    calendar: Vec<Calendar>,
    /// A calendar as JSON with excluded times; may be given several times
    #[arg(long, value_name = "JSON", value_parser = calendar)]
    exclude: Vec<Calendar>,
    /// The whole spec as JSON, in place of all other options of the times
    #[arg(long, value_name = "JSON", value_parser = spec, conflicts_with_all = ["cron", "every", "calendar", "exclude", "zone", "start", "end", "jitter"])]
    spec: Option<Spec>,
    /// The time zone, a name of the IANA database; UTC by default
    #[arg(long, value_name = "NAME")]
    zone: Option<String>,
    /// Nothing is started before this time
    #[arg(long, value_name = "TIME")]
    start: Option<UnixSeconds>,
    /// Nothing is started after this time
    #[arg(long, value_name = "TIME")]
    end: Option<UnixSeconds>,
    /// The maximum random delay of a start
    #[arg(long, value_name = "DURATION", value_parser = duration)]
    jitter: Option<Duration>,
}

/// What a schedule says of its runs.
#[derive(clap::Args)]
struct PolicyArgs {
    /// The workflow id of the runs, with `{schedule}` and `{time}`
    #[arg(long, value_name = "PATTERN")]
    workflow_id: Option<String>,
    /// What happens if a run is open when the next is due: skip, buffer-one, buffer-all, cancel-other, terminate-other
    /// or allow-all
    #[arg(long, value_name = "POLICY", value_parser = overlap)]
    overlap: Option<Overlap>,
    /// How late a run may be started; one minute by default
    #[arg(long, value_name = "DURATION", value_parser = duration)]
    catch_up_window: Option<Duration>,
    /// Pause the schedule when a run fails
    #[arg(long, value_name = "BOOL", num_args = 0..=1, default_missing_value = "true")]
    pause_on_failure: Option<bool>,
    /// How many runs may wait with buffer-all
    #[arg(long, value_name = "COUNT")]
    max_buffered: Option<u64>,
    /// The maximum number of runs that its spec starts
    #[arg(long, value_name = "COUNT")]
    max_actions: Option<u64>,
}

/// A signal that is sent to the run with the workflow id; if there is a workflow, one is started where there is none.
#[derive(clap::Args)]
struct SignalArgs {
    /// Send this signal to the open run with the workflow id; with a workflow, start one if there is none
    #[arg(long, value_name = "NAME", requires = "value")]
    signal: Option<String>,
    /// The value of the signal, as JSON
    #[arg(long, value_name = "JSON", requires = "signal", value_parser = parse_json)]
    value: Option<Value>,
}

#[derive(clap::Args)]
pub(crate) struct CreateArgs {
    /// The id of the schedule
    id: String,
    /// The workflow to be started
    #[arg(long, value_name = "NAME", required_unless_present = "signal")]
    workflow: Option<String>,
    /// Its arguments: a list in the order of the parameters, or an object by their names
    #[arg(long, value_name = "JSON", default_value = "[]", value_parser = parse_json)]
    arguments: Value,
    #[command(flatten)]
    signal: SignalArgs,
    #[command(flatten)]
    spec: SpecArgs,
    #[command(flatten)]
    policy: PolicyArgs,
    #[command(flatten)]
    terms: TermsArgs,
    /// Create it paused, with this reason for its log
    #[arg(long, value_name = "REASON")]
    paused: Option<String>,
}

#[derive(clap::Args)]
pub(crate) struct UpdateArgs {
    /// The schedule
    id: String,
    /// Refuse the change unless the schedule has this revision
    #[arg(long, value_name = "NUMBER")]
    revision: Option<i64>,
    /// The workflow to be started from now on, with `--arguments`
    #[arg(long, value_name = "NAME")]
    workflow: Option<String>,
    /// Its arguments: a list in the order of the parameters, or an object by their names; none by default
    #[arg(long, value_name = "JSON", requires = "workflow", value_parser = parse_json)]
    arguments: Option<Value>,
    #[command(flatten)]
    signal: SignalArgs,
    #[command(flatten)]
    spec: SpecArgs,
    #[command(flatten)]
    policy: PolicyArgs,
    #[command(flatten)]
    terms: TermsArgs,
}

impl UpdateArgs {
    /// Whether none of the options is given that change the schedule. A revision is a condition.
    fn is_empty(&self) -> bool {
        let Self { id: _, revision: _, workflow, arguments: _, signal, spec, policy, terms } = self;
        workflow.is_none()
            && signal.signal.is_none()
            && spec.is_empty()
            && policy.is_empty()
            && terms.is_empty()
    }
}

impl PolicyArgs {
    /// Whether none of the options is given.
    fn is_empty(&self) -> bool {
        let Self {
            workflow_id,
            overlap,
            catch_up_window,
            pause_on_failure,
            max_buffered,
            max_actions,
        } = self;
        let of_runs = workflow_id.is_none() && overlap.is_none() && catch_up_window.is_none();
        let of_ends = pause_on_failure.is_none() && max_buffered.is_none();
        of_runs && of_ends && max_actions.is_none()
    }
}

impl SpecArgs {
    /// Whether none of the options is given.
    fn is_empty(&self) -> bool {
        let Self { cron, every, calendar, exclude, spec, zone, start, end, jitter } = self;
        let lists =
            cron.is_empty() && every.is_empty() && calendar.is_empty() && exclude.is_empty();
        let texts = zone.is_none() && start.is_none() && end.is_none() && jitter.is_none();
        lists && texts && spec.is_none()
    }

    /// The present spec with these options in place of its own. Times replace all times, and exclusions all exclusions.
    fn applied_to(self, mut spec: Spec) -> Spec {
        if let Some(whole) = self.spec {
            return whole;
        }
        if !(self.cron.is_empty() && self.every.is_empty() && self.calendar.is_empty()) {
            spec = spec.without_times();
        }
        if !self.exclude.is_empty() {
            spec = spec.without_exclusions();
        }
        for cron in self.cron {
            spec = spec.cron(cron);
        }
        for every in self.every {
            spec = spec.interval(Interval::every(every));
        }
        for calendar in self.calendar {
            spec = spec.calendar(calendar);
        }
        for calendar in self.exclude {
            spec = spec.exclude(calendar);
        }
        if let Some(zone) = self.zone {
            spec = spec.zone(zone);
        }
        if let Some(start) = self.start {
            spec = spec.start(start);
        }
        if let Some(end) = self.end {
            spec = spec.end(end);
        }
        if let Some(jitter) = self.jitter {
            spec = spec.jitter(jitter);
        }
        spec
    }
}

pub(super) async fn create(
    client: &Client,
    args: CreateArgs,
    output: Output,
) -> Result<String, Failure> {
    let spec = args.spec.applied_to(Spec::new());
    let schedule = client.schedule(&*args.id);
    let policy = args.policy;
    let signal = args.signal.signal.zip(args.signal.value);
    let mut create = match (args.workflow, signal) {
        (Some(workflow), signal) => {
            let create = schedule.create_json(spec, workflow, &args.arguments);
            signal
                .into_iter()
                .fold(create, |create, (name, value)| create.signal_json(name, &value))
        }
        (None, Some((name, value))) => {
            let Some(workflow_id) = policy.workflow_id.clone() else {
                return Err(Failure::Usage(
                    "a signal needs a run: give `--workflow-id`".to_owned(),
                ));
            };
            schedule.create_signal_json(spec, workflow_id, name, &value)
        }
        (None, None) => return Err(Failure::Usage("give `--workflow` or `--signal`".to_owned())),
    };
    if let Some(pattern) = policy.workflow_id {
        create = create.workflow_id(pattern);
    }
    if let Some(overlap) = policy.overlap {
        create = create.overlap(overlap);
    }
    if let Some(window) = policy.catch_up_window {
        create = create.catch_up_window(window);
    }
    if let Some(most) = policy.max_buffered {
        create = create.max_buffered(most);
    }
    if let Some(most) = policy.max_actions {
        create = create.max_actions(most);
    }
    let retry = args.terms.retry();
    let terms = args.terms;
    if let Some(timeout) = terms.execution_timeout.and_then(|limit| limit.0) {
        create = create.execution_timeout(timeout);
    }
    if let Some(timeout) = terms.run_timeout.and_then(|limit| limit.0) {
        create = create.run_timeout(timeout);
    }
    if let Some(on_timeout) = terms.on_timeout {
        create = create.on_timeout(on_timeout);
    }
    if let Some(clock) = terms.timeout_clock {
        create = create.timeout_clock(clock);
    }
    if let Some(timeout) = terms.cleanup_timeout {
        create = create.cleanup_timeout(timeout);
    }
    if let Some(retry) = retry {
        create = create.retry(retry.policy);
        create = retry.non_retryable.into_iter().fold(create, CreateSchedule::non_retryable);
    }
    if let Some(attributes) = terms.attributes {
        create = create.attributes(attributes);
    }
    if let Some(memo) = terms.memo {
        create = create.memo(memo);
    }
    if let Some(note) = args.paused {
        create = create.paused(note);
    }
    create.pause_on_failure(policy.pause_on_failure.unwrap_or_default()).await?;
    Ok(changed(output, &args.id, "created"))
}

pub(super) async fn update(
    client: &Client,
    args: UpdateArgs,
    output: Output,
) -> Result<String, Failure> {
    if args.is_empty() {
        return Err(Failure::Usage(format!(
            "nothing is given to change in the schedule `{}`",
            args.id
        )));
    }
    let schedule = client.schedule(&*args.id);
    let mut update = schedule.update();
    if let Some(workflow) = args.workflow {
        update = update.call_json(workflow, &args.arguments.unwrap_or_else(|| json!([])));
    }
    let mut revision = args.revision;
    if !args.spec.is_empty() {
        let present = schedule.describe().await?;
        // Somebody else may change the spec now.
        revision = revision.or(Some(present.revision));
        update = update.spec(args.spec.applied_to(present.spec));
    }
    if let Some(revision) = revision {
        update = update.revision(revision);
    }
    if let Some((name, value)) = args.signal.signal.zip(args.signal.value) {
        update = update.signal_json(name, &value);
    }
    let policy = args.policy;
    if let Some(pattern) = policy.workflow_id {
        update = update.workflow_id(pattern);
    }
    if let Some(overlap) = policy.overlap {
        update = update.overlap(overlap);
    }
    if let Some(window) = policy.catch_up_window {
        update = update.catch_up_window(window);
    }
    if let Some(pause) = policy.pause_on_failure {
        update = update.pause_on_failure(pause);
    }
    if policy.max_buffered.is_some() {
        update = update.max_buffered(policy.max_buffered);
    }
    if policy.max_actions.is_some() {
        update = update.max_actions(policy.max_actions);
    }
    if let Some(retry) = args.terms.retry() {
        let is_tried_again = retry.policy.max_attempts != 1;
        update = update.retry(is_tried_again.then_some(retry));
    }
    let terms = args.terms;
    if let Some(limit) = terms.execution_timeout {
        update = update.execution_timeout(limit.0);
    }
    if let Some(limit) = terms.run_timeout {
        update = update.run_timeout(limit.0);
    }
    if let Some(on_timeout) = terms.on_timeout {
        update = update.on_timeout(on_timeout);
    }
    if let Some(clock) = terms.timeout_clock {
        update = update.timeout_clock(clock);
    }
    if let Some(timeout) = terms.cleanup_timeout {
        update = update.cleanup_timeout(timeout);
    }
    if let Some(attributes) = terms.attributes {
        update = update.attributes(attributes);
    }
    if let Some(memo) = terms.memo {
        update = update.memo(memo);
    }
    update.await?;
    Ok(changed(output, &args.id, "updated"))
}

fn calendar(text: &str) -> Result<Calendar, String> {
    serde_json::from_str(text).map_err(|error| error.to_string())
}

fn spec(text: &str) -> Result<Spec, String> {
    serde_json::from_str(text).map_err(|error| error.to_string())
}
