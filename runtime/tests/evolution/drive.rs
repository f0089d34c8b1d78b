//! Moves runs from one build to another.

use std::collections::HashMap;
use std::sync::Arc;
use std::time::Duration;

use piton::client::ParkedReport;
use piton::evolution::{self, Concern, StoredAwaited, StoredDefinition};
use piton::lock::Lock;
use piton::model::{RunId, RunStatus};
use piton::prelude::*;
use piton::store::{RunRecord, Store};
use tokio::time::{sleep, timeout};

use crate::edit::{Begun, Boxed, Build, Cell, END, Edit, START, Verdict};
use crate::shop::Lab;

/// Long enough for anything to happen on a busy machine.
const PATIENCE: Duration = Duration::from_secs(60);

/// The queue of items.
const DESK: &str = "desk";

/// How often to look up a run.
const LOOK: Duration = Duration::from_millis(1);

/// One run in a state of the old build.
struct Parked {
    id: String,
    run_id: RunId,
    /// The result, as the old build reads it.
    old_result: Option<Boxed<String>>,
    /// The result, as the new build reads it.
    new_result: Option<Boxed<String>>,
    snapshot: Option<Vec<u8>>,
    /// Whether it is paused while the build changes.
    is_paused: bool,
}

/// Moves one run in each of the edit's states to the new build. Returns the differences from the expectation.
pub async fn drive(store: &Arc<dyn Store>, edit: &Edit) -> Vec<String> {
    let mut failures = Vec::new();
    let lab = Lab::default();
    let client = Client::new(Arc::clone(store));
    let mut runs: HashMap<usize, Parked> = HashMap::new();
    let cells = |is_wanted: fn(&Cell) -> bool| {
        edit.cells.iter().enumerate().filter(move |(_, cell)| is_wanted(cell))
    };
    for (number, cell) in cells(|cell| cell.state == END) {
        let mut parked = begin(&client, edit, number, &lab).await;
        // Its workflow id is free once it has closed.
        parked.go_on(store, cell).await;
        runs.insert(number, parked);
    }
    let worker = serve(&client, &edit.old, &lab).await;
    for (number, _) in cells(|cell| ![START, END].contains(&cell.state)) {
        runs.insert(number, begin(&client, edit, number, &lab).await);
    }
    for (number, parked) in &runs {
        let cell = &edit.cells[*number];
        let is_there = |record: &RunRecord| match cell.state {
            END => record.status == RunStatus::Completed,
            state => {
                record.state == state
                    && cell.held.iter().all(|call| lab.has_begun(&parked.id, call))
            }
        };
        let there = async {
            until(&client, parked.run_id, is_there).await?;
            match cell.state {
                END => Ok(()),
                // On SQLite, a transaction that is held open holds up those that read all of a run.
                _ if holds_transactions(edit, cell) => Ok(()),
                state => {
                    until_read(store, parked.run_id, state).await?;
                    until_ended(&client, cell, parked.run_id, &lab).await
                }
            }
        };
        if let Err(why) = there.await {
            failures.push(format!("{} at {}: never got there: {why}", edit.name, cell.state));
        }
    }
    worker.shutdown().await.unwrap();
    for (number, _) in cells(|cell| cell.state == START) {
        runs.insert(number, begin(&client, edit, number, &lab).await);
    }
    failures.extend(disagreements(store, edit).await);
    if !failures.is_empty() {
        return failures;
    }

    for parked in runs.values().filter(|parked| parked.is_paused) {
        let run = client.by_id(parked.run_id);
        assert!(run.pause("the build changes").await.unwrap(), "{} can be paused", parked.id);
    }
    lab.release();
    for (number, parked) in &mut runs {
        let cell = &edit.cells[*number];
        if cell.state != END {
            parked.snapshot = store.find_snapshot(parked.run_id).await.unwrap();
            parked.go_on(store, cell).await;
        }
    }
    let client = Client::new(Arc::clone(store));
    failures.extend(database_disagreements(&client, edit).await);
    let worker = serve(&client, &edit.new, &lab).await;
    for parked in runs.values().filter(|parked| parked.is_paused) {
        let run = client.by_id(parked.run_id);
        assert!(run.resume().await.unwrap(), "{} is paused", parked.id);
    }
    let mut expected = Vec::new();
    for (number, cell) in edit.cells.iter().enumerate() {
        let parked = runs.get_mut(&number).expect("each cell has a run");
        let outcome = in_new_build(store, &client, cell, parked).await;
        let mut fail =
            |why: String| failures.push(format!("{} at {}: {why}", edit.name, cell.state));
        match outcome {
            Ok(None) => {}
            Ok(Some(result)) => expected.push((number, result)),
            Err(why) => fail(why),
        }
    }
    worker.shutdown().await.unwrap();
    if expected.is_empty() {
        return failures;
    }

    let client = Client::new(Arc::clone(store));
    for (number, _) in &expected {
        let parked = runs.get_mut(number).expect("each cell has a run");
        let begun = (edit.cells[*number].go_back)(client.clone(), parked.id.clone()).await;
        parked.old_result = Some(begun.result);
    }
    // A child that only the new build serves may not have ended in it.
    let back = edit.old.with_children_of(&edit.new);
    let worker = serve(&client, &back, &lab).await;
    for (number, expected) in expected {
        let parked = runs.get_mut(&number).expect("each cell has a run");
        let result = parked.old_result.take().expect("nobody has asked for it");
        if let Err(why) = completed(&client, parked.run_id, result, expected).await {
            let state = edit.cells[number].state;
            failures.push(format!("{} at {state}, in the old build: {why}", edit.name));
        }
    }
    worker.shutdown().await.unwrap();
    failures
}

/// Compares the check of the stored old definition with the fate of the runs. Returns the differences.
async fn disagreements(store: &Arc<dyn Store>, edit: &Edit) -> Vec<String> {
    let hash = edit.old.workflow.definition().hash;
    let records = store.find_definitions(hash).await.unwrap();
    let record = records.first().expect("the old worker has recorded it");
    let old: StoredDefinition = serde_json::from_str(&record.description).unwrap();
    let concerns = evolution::check(&old, edit.new.workflow);
    let mut failures = Vec::new();
    for cell in edit.cells.iter().filter(|cell| cell.state != END) {
        let is_here = |concern: &&Concern| {
            let name = &old.states[concern.state as usize].name;
            name.strip_prefix(cell.state)
                .is_some_and(|rest| rest.is_empty() || rest.starts_with('.'))
        };
        let here: Vec<_> = concerns.iter().filter(is_here).collect();
        let certain = here.iter().find(|concern| !concern.depends_on_value);
        // An inline workflow has its own definition.
        let is_inline = old.states.iter().any(|state| {
            state.name == cell.state
                && matches!(state.awaited, Some(StoredAwaited::Workflow { .. }))
        });
        let disagreement = match cell.verdict {
            Verdict::Goes(_) | Verdict::Back(..) => certain
                .map(|concern| format!("it goes on, and the check says: {}", concern.finding)),
            Verdict::Held(..) if here.is_empty() => Some("the check does not see it".to_owned()),
            Verdict::Held(..) => certain
                .map(|concern| format!("only the value tells, and it says: {}", concern.finding)),
            Verdict::Refused(..) => {
                certain.map(|concern| format!("no schema tells, and it says: {}", concern.finding))
            }
            // It fails at what it reads next.
            Verdict::Blocked("", ..) if !concerns.is_empty() => None,
            Verdict::Blocked(..) if here.is_empty() && !is_inline => {
                Some("it is blocked, and the check says nothing".to_owned())
            }
            Verdict::Blocked(..) => None,
        };
        failures.extend(disagreement.map(|why| format!("{} at {}: {why}", edit.name, cell.state)));
    }
    failures
}

/// Compares the checks of the runs in the database with their fate. Returns the differences.
async fn database_disagreements(client: &Client, edit: &Edit) -> Vec<String> {
    let open = edit.cells.iter().filter(|cell| cell.state != END);
    // Those without a kind fail at the next value that they read: before the first step, the arguments.
    let is_blocked = |cell: &&Cell| matches!(cell.verdict, Verdict::Blocked(kind, ..) if !kind.is_empty() || cell.state == START);
    let blocked = open.filter(is_blocked).count() as u64;
    let by_code = client.check_parked([edit.new.workflow]).await.unwrap();
    let mut lock = Lock::default();
    lock.record([edit.new.workflow]);
    let by_lock = client.check_parked_by(&lock).await.unwrap();
    let count = |report: &ParkedReport, is_certain: bool| {
        let unfit = report.unfit.iter().filter(|unfit| unfit.is_certain == is_certain);
        unfit.map(|unfit| unfit.runs).sum::<u64>()
    };
    let mut failures = Vec::new();
    if count(&by_code, true) != blocked {
        failures
            .push(format!("{}: {blocked} are blocked, and the code says {by_code:#?}", edit.name));
    }
    let is_refused = |cell: &&Cell| matches!(cell.verdict, Verdict::Refused(..));
    let refused = edit.cells.iter().filter(is_refused).count() as u64;
    if count(&by_code, false) != refused {
        failures.push(format!(
            "{}: {refused} may be blocked, and the code says {by_code:#?}",
            edit.name
        ));
    }
    if by_lock.runs != by_code.runs {
        failures.push(format!(
            "{}: the code looks at {} runs, and the lock at {}",
            edit.name, by_code.runs, by_lock.runs
        ));
    }
    if count(&by_lock, true) > blocked {
        failures
            .push(format!("{}: {blocked} are blocked, and the lock says {by_lock:#?}", edit.name));
    }
    failures
}

/// Starts the run of a cell with the old build.
async fn begin(client: &Client, edit: &Edit, number: usize, lab: &Lab) -> Parked {
    let cell = &edit.cells[number];
    let id = format!("{}/{}/{number}", edit.name, cell.state);
    lab.hold(&id, &cell.held);
    let Begun { run_id, result } = (cell.begin)(client.clone(), id.clone()).await;
    let is_paused = number % 2 == 1 && cell.state != END;
    Parked { id, run_id, old_result: Some(result), new_result: None, snapshot: None, is_paused }
}

impl Parked {
    async fn go_on(&mut self, store: &Arc<dyn Store>, cell: &Cell) {
        let begun = (cell.go_on)(Client::new(Arc::clone(store)), self.id.clone()).await;
        assert_eq!(begun.run_id, self.run_id, "it is the run that was begun");
        self.new_result = Some(begun.result);
    }
}

pub async fn serve(client: &Client, build: &Build, lab: &Lab) -> RunningWorker {
    let worker = Worker::new(client).serving(build.workflows(), build.activities());
    let worker = worker.queue(DESK).provide(lab.clone());
    worker.shutdown_grace(Duration::ZERO).start().await.unwrap()
}

/// Compares the fate of a run in the new build. Returns the expected result in the old build, if the run returns there.
async fn in_new_build(
    store: &Arc<dyn Store>,
    client: &Client,
    cell: &Cell,
    parked: &mut Parked,
) -> Result<Option<&'static str>, String> {
    let result = parked.new_result.take().expect("nobody has asked for it");
    let verdict = match cell.verdict {
        Verdict::Held(what, expected) | Verdict::Refused(what, expected) => {
            Verdict::Blocked("", what, expected)
        }
        verdict => verdict,
    };
    match verdict {
        Verdict::Goes(expected) => {
            completed(client, parked.run_id, result, expected).await.map(|()| None)
        }
        Verdict::Blocked(kind, what, expected) => {
            let parked_result = result;
            let is_judged = |record: &RunRecord| record.status != RunStatus::Running;
            let record = until(client, parked.run_id, is_judged).await?;
            let Some(reason) = record.blocked else {
                let came_to = timeout(PATIENCE, parked_result).await;
                return Err(format!("it came to {came_to:?}"));
            };
            let is_whole = kind.is_empty()
                || store.find_snapshot(parked.run_id).await.unwrap() == parked.snapshot;
            let is_expected =
                format!("{reason:?}").contains(kind) && reason.to_string().contains(what);
            if !is_expected {
                return Err(format!("blocked as {reason}\n    ({reason:?})"));
            }
            if !is_whole {
                return Err("its saved state has changed".to_owned());
            }
            Ok(Some(expected))
        }
        Verdict::Held(..) | Verdict::Refused(..) => {
            unreachable!("it is taken for one that is blocked")
        }
        Verdict::Back(state, result) => {
            until(client, parked.run_id, |record| record.state == state).await?;
            Ok(Some(result))
        }
    }
}

async fn completed(
    client: &Client,
    run_id: RunId,
    result: Boxed<String>,
    expected: &str,
) -> Result<(), String> {
    let is_judged =
        |record: &RunRecord| !record.status.is_open() || record.status == RunStatus::Blocked;
    let record = until(client, run_id, is_judged).await?;
    if let Some(reason) = record.blocked {
        return Err(format!("blocked as {reason}\n    ({reason:?})"));
    }
    let result = timeout(PATIENCE, result).await.map_err(|_| "it gives no result".to_owned())?;
    let inner = result.strip_prefix("Ok(").and_then(|result| result.strip_suffix(')'));
    match inner.unwrap_or(&result).trim_matches('"') == expected {
        true => Ok(()),
        false => Err(format!("it came to {result}")),
    }
}

/// Waits until the run has every signal that it waits for in this state.
async fn until_read(store: &Arc<dyn Store>, run_id: RunId, state: &str) -> Result<(), String> {
    let awaited = state.strip_prefix("signal<").and_then(|rest| rest.split_once('>'));
    let is_awaited = |name: &str| awaited.is_none_or(|(awaited, _)| awaited == name);
    let look = async {
        loop {
            let unread = store.find_details(run_id).await.unwrap().expect("it is there").unread;
            if !unread.iter().filter_map(|arrival| arrival.name.as_deref()).any(is_awaited) {
                return;
            }
            sleep(LOOK).await;
        }
    };
    timeout(PATIENCE, look).await.map_err(|_| "a signal is not read".to_owned())
}

/// Whether calls of transactions may hang in the old build.
fn holds_transactions(edit: &Edit, cell: &Cell) -> bool {
    !cell.held.is_empty() && edit.old.activities.iter().any(|entry| entry.connection.is_some())
}

/// Waits until the outcomes of all activities have arrived, except for those that hang and those behind them. A
/// shutdown interrupts attempts, and a transaction that has returned is still to be committed.
async fn until_ended(client: &Client, cell: &Cell, run_id: RunId, lab: &Lab) -> Result<(), String> {
    let look = async {
        loop {
            let outstanding = client.activities(run_id).await.unwrap();
            let made = outstanding
                .iter()
                .filter(|activity| activity.queue.is_none() && activity.next_attempt_at.is_none());
            let hangs: Vec<_> =
                made.map(|activity| lab.is_hanging(run_id, activity.handle)).collect();
            let delayed = hangs.iter().filter(|hangs| hangs.is_none()).count();
            if delayed == cell.delayed && !hangs.contains(&Some(false)) {
                return;
            }
            sleep(LOOK).await;
        }
    };
    timeout(PATIENCE, look).await.map_err(|_| "an activity does not end".to_owned())
}

/// Waits until the run's record meets the condition.
pub async fn until(
    client: &Client,
    run_id: RunId,
    is_wanted: impl Fn(&RunRecord) -> bool,
) -> Result<RunRecord, String> {
    let look = async {
        loop {
            let record = client.find(run_id).await.unwrap().expect("the run is there");
            if is_wanted(&record) {
                return record;
            }
            sleep(LOOK).await;
        }
    };
    match timeout(PATIENCE, look).await {
        Ok(record) => Ok(record),
        Err(_) => {
            let record = client.find(run_id).await.unwrap().expect("the run is there");
            let RunRecord { status, state, blocked, failure, .. } = record;
            Err(format!("it is {status:?} at {state}: {blocked:?} {failure:?}"))
        }
    }
}
