//! `piton run show`.

use std::fmt::Write as _;
use std::path::{Path, PathBuf};
use std::time::Duration;

use piton::client::Client;
use piton::client::inspect::{
    AwaitedActivity, AwaitedQueue, InspectedKin, InspectedTerms, Inspection, Position, Shown,
    Variable, Wait, WaitFor,
};
use piton::model::{FailedCompensation, OnTimeout, RunStatus, TimeoutClock, Timestamp};
use serde_json::Value;

use crate::error::Failure;
use crate::graph;
use crate::output::{self, Output, ago, relative};

#[derive(clap::Args)]
pub(crate) struct ShowArgs {
    /// The run id or the workflow id
    id: String,
    /// The root folder of the source files, to show their lines
    #[arg(long, value_name = "FOLDER", default_value = ".")]
    source: PathBuf,
    /// The number of source lines to show before and after the await
    #[arg(long, value_name = "COUNT", default_value_t = 2)]
    context: usize,
}

/// The maximum number of characters of a value on one line.
const LONGEST: usize = 80;

/// A worker claims a run that is due within a few seconds. The clocks of this machine and the database may differ.
const OVERDUE: Duration = Duration::from_secs(60);

/// The maximum number of items of a list that are shown: a run may hold thousands.
const MOST: usize = 20;

pub(super) async fn carry_out(
    client: &Client,
    args: ShowArgs,
    output: Output,
) -> Result<String, Failure> {
    let run = client.inspect(super::find(client, &args.id).await?).await?;
    if output.json {
        return Ok(output::json(&run));
    }
    let mut page = Page { text: String::new(), now: Timestamp::now(), args: &args };
    page.head(&run);
    if let Some(position) = &run.position {
        page.at(position);
        if let Some(definition) = client.find_definition(position.definition).await?
            && let Some(drawn) = graph::neighborhood(&definition, &position.state)
        {
            page.heading("graph");
            page.indented(1, &drawn);
        }
        if !position.waits.is_empty() {
            page.heading(match (run.status.is_open(), &run.ending) {
                (true, Some(_)) => "is being undone",
                (true, None) => "waits for",
                (false, _) => "waited for",
            });
            page.waits(1, &position.waits);
        }
        if !run.queues.is_empty() {
            page.heading("waits for a worker");
            run.queues.iter().for_each(|queue| page.queue(queue));
        }
        if !position.variables.is_empty() {
            page.heading("variables");
            page.variables(1, &position.variables);
        }
    }
    page.compensations(&run);
    page.values(&run);
    Ok(page.text)
}

/// The output, line by line.
struct Page<'a> {
    text: String,
    now: Timestamp,
    args: &'a ShowArgs,
}

impl Page<'_> {
    fn line(&mut self, level: usize, line: &str) {
        let line = output::plain(line.trim_end());
        let _ = writeln!(self.text, "{}{line}", "  ".repeat(level));
    }

    fn indented(&mut self, level: usize, lines: &str) {
        lines.lines().for_each(|line| self.line(level, line));
    }

    fn heading(&mut self, heading: &str) {
        self.text.push('\n');
        self.line(0, heading);
    }

    fn field(&mut self, name: &str, value: &str) {
        let mut lines = value.lines();
        self.line(1, &format!("{name:11} {}", lines.next().unwrap_or_default()));
        lines.for_each(|line| self.line(1, &format!("{:11} {line}", "")));
    }

    fn head(&mut self, run: &Inspection) {
        let now = self.now;
        self.line(0, &format!("run {}", run.run_id));
        if run.workflow_id != run.run_id.to_string() {
            self.field("workflow id", &output::plain(&run.workflow_id));
        }
        self.field("workflow", &run.workflow);
        let status = match (run.status, run.owner) {
            (RunStatus::Running, Some(worker)) => format!("running, worker {} has it", worker.0),
            (RunStatus::Running, None) => "running, parked".to_owned(),
            (status, _) => status.to_string(),
        };
        self.field("status", &status);
        if let Some(reason) = &run.blocked {
            self.field("because", reason);
        }
        if let Some(at) = run.blocked_at {
            self.field("blocked", &ago(at, now));
        }
        if let Some(pause) = &run.paused {
            let word = if run.status == RunStatus::Paused { "paused" } else { "to pause" };
            self.field(word, &format!("{} by {}: {}", ago(pause.at, now), pause.by, pause.reason));
        }
        self.field("started", &ago(run.started_at, now));
        match (run.stepped_at, run.step_no.0) {
            (Some(at), number) => self.field("last step", &format!("{number} at {}", ago(at, now))),
            (None, 0) => self.field("last step", "none"),
            (None, number) => self.field("last step", &number.to_string()),
        }
        if let Some(at) = run.wakes_at {
            let is_overdue = run.owner.is_none() && at + OVERDUE < now;
            let overdue = if is_overdue { ", but no worker has claimed it" } else { "" };
            self.field("wakes", &format!("{}{overdue}", relative(at, now)));
        }
        if let Some(at) = run.closed_at {
            self.field("closed", &ago(at, now));
        }
        if let Some(reason) = &run.cancel_requested {
            self.field("to cancel", &format!("{reason} (no step has taken the request yet)"));
        }
        if let Some(reason) = &run.cancelled {
            self.field("cancelled", reason);
        }
        if let Some(failure) = &run.failure {
            self.field("failure", failure);
        }
        if let Some(ending) = &run.ending {
            self.field("ends as", &format!("{}: {}", ending.status, ending.failure));
            for failed in &ending.failed {
                let FailedCompensation { activity, error } = failed;
                self.field("not undone", &format!("`{activity}` failed: {error}"));
            }
        }
        if run.takeovers > 0 {
            self.field("takeovers", &format!("{} since the last step", run.takeovers));
        }
        if let Some(hash) = run.definition {
            self.field("definition", &hash.to_string());
        }
        for (name, value) in &run.attributes {
            self.field("attribute", &format!("{name} = {value}"));
        }
        for (name, value) in run.memo.iter() {
            self.field("memo", &format!("{name}: {value}"));
        }
        if let Some(kin) = &run.kin {
            self.kin(run, kin);
        }
        if let Some(terms) = &run.terms {
            self.terms(terms, run.status.is_open());
        }
        if let Some(note) = &run.note {
            self.field("note", note);
        }
    }

    /// The terms of the run.
    fn terms(&mut self, terms: &InspectedTerms, is_open: bool) {
        match terms.max_attempts {
            None => {}
            Some(0) => self.field("attempt", &format!("{}, without a limit", terms.attempt)),
            Some(limit) => self.field("attempt", &format!("{} of {limit}", terms.attempt)),
        }
        if let Some(at) = terms.deadline_at.filter(|_| is_open) {
            let then = match terms.on_timeout {
                OnTimeout::Cancel => "then it is requested to cancel",
                _ => "then it is closed",
            };
            let clock = match terms.timeout_clock {
                TimeoutClock::Attended => ", later by the time without a worker",
                _ => "",
            };
            self.field("deadline", &format!("{}{clock}, {then}", relative(at, self.now)));
        }
        if let Some(cron) = &terms.cron {
            self.field("cron", cron);
        }
    }

    /// Its relations to other runs.
    fn kin(&mut self, run: &Inspection, kin: &InspectedKin) {
        if let (Some(parent), Some(policy)) = (kin.parent, kin.on_parent_close) {
            let end = match kin.ends_with_run {
                true => "when that closes, also if another run follows it",
                false => "when that is over",
            };
            self.field("child of", &format!("{parent}, {end}: {policy}"));
        }
        if kin.first_run_id != run.run_id {
            self.field("first run", &kin.first_run_id.to_string());
        }
        if let (Some(previous), Some(link)) = (kin.previous_run_id, kin.link) {
            self.field("follows", &format!("{previous} ({link})"));
        }
        if let Some(next) = kin.next_run_id {
            self.field("continues as", &next.to_string());
        }
        if kin.child_count > 0 {
            self.field("children", &kin.child_count.to_string());
        }
    }

    /// The state, with the lines of the source around it.
    fn at(&mut self, position: &Position) {
        self.text.push('\n');
        self.place(0, position);
        if let Some(lines) = self.source(position) {
            self.indented(1, &lines);
        }
    }

    fn place(&mut self, level: usize, position: &Position) {
        let Position { state, file, line, .. } = position;
        match file.is_empty() {
            true => self.line(level, &format!("at `{state}`")),
            false => self.line(level, &format!("at `{state}`, {file}:{line}")),
        }
        if let Some(note) = &position.note {
            self.line(level + 1, &format!("note: {note}"));
        }
    }

    fn source(&self, position: &Position) -> Option<String> {
        let here = usize::try_from(position.line).ok()?.checked_sub(1)?;
        let path = self.args.source.join(Path::new(&position.file));
        let source = std::fs::read_to_string(path).ok()?;
        let lines: Vec<_> = source.lines().collect();
        // The file has been changed since.
        lines.get(here)?;
        let from = here.saturating_sub(self.args.context);
        let to = here.saturating_add(self.args.context).min(lines.len() - 1);
        let mut text = String::new();
        for (number, line) in lines.iter().enumerate().take(to + 1).skip(from) {
            let mark = if number == here { '>' } else { ' ' };
            let _ = writeln!(text, "{mark} {:>4} | {line}", number + 1);
        }
        Some(text)
    }

    fn waits(&mut self, level: usize, waits: &[Wait]) {
        for wait in waits {
            self.wait(level, wait);
        }
    }

    fn wait(&mut self, level: usize, wait: &Wait) {
        let now = self.now;
        let named = |name: &str| match wait.name == name {
            true => String::new(),
            false => format!("{}: ", wait.name),
        };
        let since = match wait.since {
            Some(at) => format!(" since {}", ago(at, now)),
            None => String::new(),
        };
        let arrived = if wait.has_arrived { ", has arrived" } else { "" };
        let inside = level + 1;
        match &wait.on {
            WaitFor::Activity(activity) => {
                let name = &activity.activity;
                self.line(level, &format!("{}activity `{name}`{since}{arrived}", named(name)));
                self.activity(inside, activity);
                if let Some(token) = activity.token.filter(|_| !wait.has_arrived) {
                    self.line(inside, &format!("waits for its token {token}"));
                    self.line(
                        inside,
                        &format!(
                            "hint: `Client::complete_activity` takes the token; by hand, `piton run edit` with \
                             `--complete {0}=JSON` or `--fail {0}=REASON`",
                            wait.name
                        ),
                    );
                }
            }
            WaitFor::Timer { fires_at } => {
                let at = relative(*fires_at, now);
                self.line(level, &format!("{}timer, fires {at}", named("sleep")));
            }
            WaitFor::Signal { signal, until } => {
                let until = until.map(|until| format!(", until {}", relative(until, now)));
                let until = until.unwrap_or_default();
                let named = named(&format!("signal<{signal}>"));
                self.line(level, &format!("{named}signal `{signal}`{since}{until}{arrived}"));
            }
            WaitFor::Update { update, until } => {
                let until = until.map(|until| format!(", until {}", relative(until, now)));
                let until = until.unwrap_or_default();
                let named = named(&format!("update<{update}>"));
                self.line(level, &format!("{named}update `{update}`{since}{until}{arrived}"));
            }
            WaitFor::Cancellation => {
                let named = named("cancelled");
                self.line(level, &format!("{named}a request to cancel{since}{arrived}"));
            }
            WaitFor::Child { child, workflow_id, workflow } => {
                let named = named(workflow);
                let child =
                    format!("child `{workflow_id}`, a run of `{workflow}`, first run {child}");
                self.line(level, &format!("{named}{child}{since}{arrived}"));
            }
            WaitFor::Item { activity, queue, key } => {
                let item = format!("activity `{activity}` on queue `{queue}`, key `{key}`");
                self.line(level, &format!("{}{item}{since}{arrived}", named(activity)));
            }
            WaitFor::Promise { token, expires_at } => {
                let until = expires_at.map(|at| format!(", expires {}", relative(at, now)));
                let (until, name) = (until.unwrap_or_default(), token.name());
                let named = named("promise");
                self.line(level, &format!("{named}promise `{name}`{since}{until}{arrived}"));
                self.line(inside, &format!("token {token}"));
            }
            WaitFor::Workflow { position } => {
                let name = &position.workflow;
                self.line(level, &format!("{}workflow `{name}`, inline", named(name)));
                self.part(inside, position);
            }
            WaitFor::Block { position } => {
                self.line(level, &format!("{}block", named("async")));
                self.part(inside, position);
            }
            WaitFor::All { items } => {
                self.line(level, &format!("{}all of {}", named(""), items.len()));
                self.waits(inside, items);
            }
            WaitFor::Within { until, wait } => {
                self.line(level, &format!("{}until {}", named(""), relative(*until, now)));
                self.wait(inside, wait);
            }
            WaitFor::Each { total, succeeded, failed, asked } => {
                let ended = format!("{succeeded} have succeeded, {failed} have failed");
                self.line(level, &format!("{}each of {total}: {ended}", named("")));
                self.waits(inside, asked);
            }
            WaitFor::Done(value) => {
                self.named(level, &format!("{}done with ", named("")), value);
            }
            WaitFor::NotBegun => self.line(level, &format!("{}not begun", named(""))),
            WaitFor::Unreadable { note } => {
                self.line(level, &format!("{}cannot be read: {note}", named("")));
            }
            other => self.line(level, &format!("{}{other:?}", named(""))),
        }
    }

    fn activity(&mut self, level: usize, activity: &AwaitedActivity) {
        let mut attempt = format!("attempt {}", activity.attempt);
        match (activity.next_attempt_at, activity.worker, &activity.queue) {
            (Some(at), ..) => {
                let _ = write!(attempt, ", due {}", relative(at, self.now));
            }
            (None, Some(worker), _) => {
                let _ = write!(attempt, ", made by worker {}", worker.0);
            }
            _ => {}
        }
        if let Some(queue) = &activity.queue {
            let _ = write!(attempt, ", on queue `{queue}`");
        }
        self.line(level, &attempt);
        if let Some(at) = activity.expires_at {
            self.line(level, &format!("time limit {}", relative(at, self.now)));
        }
        if let Some(failure) = &activity.last_failure {
            self.line(level, &format!("attempt {} failed: {}", failure.attempt, failure.error));
        }
        if let Some(arguments) = &activity.arguments {
            self.named(level, "arguments ", arguments);
        }
    }

    /// A queue on which the run waits for a worker.
    fn queue(&mut self, queue: &AwaitedQueue) {
        let AwaitedQueue { queue: name, waiting, under_way, oldest_due_at, paused, .. } = queue;
        let since = oldest_due_at.map(|at| format!(", the oldest since {}", ago(at, self.now)));
        let waiting = format!("{waiting} not taken by a worker{}", since.unwrap_or_default());
        self.line(1, &format!("queue `{name}`: {waiting}; {under_way} under way"));
        match paused {
            Some(reason) => self.line(2, &format!("paused: {reason}")),
            None if *under_way == 0 => self.line(
                2,
                "hint: maybe no worker serves the queue; `piton queue list` lists all queues",
            ),
            None => {}
        }
    }

    /// The position of code inside an await.
    fn part(&mut self, level: usize, position: &Position) {
        self.place(level, position);
        self.variables(level + 1, &position.variables);
        self.waits(level, &position.waits);
    }

    fn variables(&mut self, level: usize, variables: &[Variable]) {
        for variable in variables {
            let ty = variable.ty.as_ref().map(|ty| format!(": {ty}")).unwrap_or_default();
            let exposed = if variable.exposed { "exposed " } else { "" };
            let mut shown = variable.value.clone();
            if let (Some("Timestamp"), Some(at)) = (variable.ty.as_deref(), shown.value.as_i64()) {
                let at = Timestamp(at);
                shown.note.get_or_insert_with(|| output::seconds(at).to_string());
            }
            self.named(level, &format!("{exposed}{}{ty} = ", variable.name), &shown);
        }
    }

    /// A value after its name: on the same line if it is short.
    fn named(&mut self, level: usize, name: &str, Shown { value, note, .. }: &Shown) {
        let note = note.as_ref().map(|note| format!(" ({note})")).unwrap_or_default();
        let mut text = value.to_string();
        if text.chars().count() > LONGEST {
            text = format!("{:#}", shortened(value));
        }
        self.indented(level, &format!("{name}{text}{note}"));
    }

    /// The registered compensations, in the order of their execution.
    fn compensations(&mut self, run: &Inspection) {
        if run.compensations.is_empty() {
            return;
        }
        self.heading(match (run.status.is_open(), &run.ending) {
            (true, Some(_)) => "to be undone after that",
            (true, None) => "on failure",
            (false, _) => "not undone",
        });
        for noted in &run.compensations {
            let queue = noted.queue.as_ref().map(|queue| format!(", on queue `{queue}`"));
            self.line(1, &format!("`{}`{}", noted.activity, queue.unwrap_or_default()));
            self.named(2, "arguments ", &noted.arguments);
        }
    }

    fn values(&mut self, run: &Inspection) {
        if !run.unread.is_empty() {
            self.heading(match run.status.is_open() {
                true => "signals not taken yet",
                false => "signals that the run never took",
            });
            for signal in &run.unread {
                self.named(1, &format!("{} `{}` ", signal.seq, signal.signal), &signal.value);
            }
        }
        if !run.unread_updates.is_empty() {
            self.heading("updates not taken yet");
            for update in &run.unread_updates {
                let name = format!("{} `{}`, id `{}` ", update.seq, update.update, update.id);
                self.named(1, &name, &update.value);
            }
        }
        if !run.unanswered.is_empty() {
            self.heading("updates not answered yet");
            for id in &run.unanswered {
                self.line(1, &format!("id `{id}`"));
            }
        }
        if let Some(arguments) = &run.arguments {
            self.heading("arguments");
            self.named(1, "", arguments);
        }
        if let Some(result) = &run.result {
            self.heading("result");
            self.named(1, "", result);
        }
    }
}

/// The value with the first items of its lists, and the number of the others in their place.
fn shortened(value: &Value) -> Value {
    match value {
        Value::Array(items) => {
            let mut shown: Vec<_> = items.iter().take(MOST).map(shortened).collect();
            if items.len() > MOST {
                let rest = items.len() - MOST;
                shown.push(format!("… {rest} more, which --json shows").into());
            }
            shown.into()
        }
        Value::Object(fields) => {
            fields.iter().map(|(name, value)| (name.clone(), shortened(value))).collect()
        }
        value => value.clone(),
    }
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;

    #[test]
    fn a_long_list_shows_its_first_items() {
        let few: Vec<usize> = (0..MOST).collect();
        let many: Vec<usize> = (0..5_000).collect();
        let shown = shortened(&json!({ "few": few, "in": [{ "many": many }] }));
        assert_eq!(shown["few"], json!(few));
        let items = shown["in"][0]["many"].as_array().expect("it is a list");
        assert_eq!(items.len(), MOST + 1);
        assert_eq!(items[MOST], "… 4980 more, which --json shows");
    }
}
