//! Running the runs through all versions.

use std::collections::{BTreeMap, HashMap};
use std::pin::Pin;

use fastrand::Rng;
use piton::activities::ActivityEntry;
use piton::evolution::{self, StoredDefinition};
use piton::lock::Lock;
use piton::machine::{Workflow, WorkflowEntry};
use piton::model::{RunId, RunStatus};
use piton::prelude::*;
use piton::store::RunRecord;

use crate::model::Run;
use crate::program::{self, Version};

/// How many runs are open at a time.
const OPEN: usize = 200;

/// After so many versions in which a run was blocked, another one is started instead.
const PATIENCE: usize = 4;

type Start = fn(Client, u64) -> Pin<Box<dyn Future<Output = piton::Result<RunId>> + Send>>;

/// A version as compiled.
pub struct Build {
    workflow: &'static WorkflowEntry,
    start: Start,
}

impl Build {
    /// Of this workflow, whose runs are started by `start`.
    pub fn new<W: Workflow>(start: Start) -> Self {
        Self { workflow: W::entry(), start }
    }
}

/// A run in the database, and its expected result.
struct Held {
    run_id: RunId,
    run: Run,
    /// What it was sent and has not taken, because it is blocked.
    unread: Option<u32>,
    /// In how many versions it was blocked since then.
    blocked: usize,
}

/// Carries runs through the versions that this seed gives. Every version has the same `children`.
///
/// # Errors
/// Those of the engine. What is found wrong is printed, and ends the process with exit code 1.
pub fn run(
    seed: u64,
    builds: Vec<Build>,
    children: Vec<&'static WorkflowEntry>,
) -> piton::Result<()> {
    let runtime = tokio::runtime::Runtime::new()?;
    let failures = runtime.block_on(deploy(seed, builds, &children))?;
    failures.iter().for_each(|failure| eprintln!("{failure}"));
    if !failures.is_empty() {
        std::process::exit(1);
    }
    Ok(())
}

async fn deploy(
    seed: u64,
    builds: Vec<Build>,
    children: &[&'static WorkflowEntry],
) -> piton::Result<Vec<String>> {
    let mut rng = Rng::with_seed(seed);
    let versions = program::versions(builds.len(), &mut rng);
    let folder = tempfile::tempdir()?;
    let client =
        Client::connect(&format!("sqlite:{}", folder.path().join("soak.db").display())).await?;
    let activities: Vec<_> = ActivityEntry::all().collect();
    let definitions: Vec<StoredDefinition> =
        builds.iter().map(|build| definition_of(build.workflow)).collect();
    let mut held: Vec<Held> = Vec::new();
    let mut failures = Vec::new();
    let (mut started, mut completed, mut went_on, mut was_blocked) = (0, 0, 0, 0);
    for (number, build) in builds.iter().enumerate() {
        let workflows = [&[build.workflow], children].concat();
        let worker = Worker::new(&client).serving(workflows, activities.clone());
        let worker = worker.start().await?;
        // Which of the states of each version the check says are blocked in this one: certainly, or with some values.
        let mut verdicts: HashMap<usize, BTreeMap<String, bool>> = HashMap::new();
        let mut new = Vec::new();
        while held.len() < OPEN {
            started += 1;
            let run_id = (build.start)(client.clone(), started).await?;
            let run = Run::started(started, number, &versions[number]);
            new.push(held.len());
            held.push(Held { run_id, run, unread: None, blocked: 0 });
        }
        for index in new {
            let Held { run_id, run, .. } = &held[index];
            let state = run.waits_for(&versions).map(|_| state_of(run, &versions));
            let is_there = |record: &RunRecord| {
                record.status == RunStatus::Completed || Some(&record.state) == state.as_ref()
            };
            until(&client, *run_id, is_there).await?;
        }
        let mut touched = Vec::new();
        for (index, run) in held.iter_mut().enumerate() {
            let Some((signal, _)) = run.run.waits_for(&versions) else { continue };
            if run.unread.is_none() && rng.u8(..3) == 0 {
                let said = rng.u32(..1_000);
                let name = format!("Signal{signal}");
                client.signal_json(run.run.id.to_string(), &name, &said.into()).unchecked().await?;
                run.unread = Some(said);
            }
            if run.unread.is_some() {
                touched.push(index);
            }
        }
        for index in touched {
            let Held { run_id, run, unread, blocked } = &mut held[index];
            let said = unread.expect("it was sent something");
            let state = state_of(run, &versions);
            let verdicts = verdicts.entry(run.version).or_insert_with(|| {
                let before = &definitions[run.version];
                let concerns = evolution::check(before, build.workflow);
                let mut states = BTreeMap::new();
                for concern in concerns {
                    *states.entry(concern.finding.state).or_default() |= !concern.depends_on_value;
                }
                states
            });
            let verdict = verdicts.get(&state).copied();
            let mut next = run.clone();
            let mut wanted = match verdict {
                Some(true) => None,
                Some(false) | None => match next.take(said, number, &versions) {
                    Ok(()) => Some(next),
                    Err(why) => {
                        failures.push(format!("version {number}: run {} goes on from {state} of version {}, and {why}", run.id, run.version));
                        continue;
                    }
                },
            };
            let is_there = |record: &RunRecord| match &wanted {
                None => record.status == RunStatus::Blocked,
                _ if verdict.is_some() && record.status == RunStatus::Blocked => true,
                Some(next) if next.at.is_none() => record.status == RunStatus::Completed,
                Some(next) => {
                    record.owner.is_none()
                        && record.status == RunStatus::Running
                        && record.state == state_of(next, &versions)
                }
            };
            let record = until(&client, *run_id, is_there).await?;
            if !is_there(&record) {
                failures.push(format!(
                    "version {number}: run {} of version {} at {state}: {:?} at {}, {:?}, expected {wanted:?}",
                    run.id, run.version, record.status, record.state, record.blocked
                ));
                continue;
            }
            if record.status == RunStatus::Blocked {
                wanted = None;
            }
            match wanted {
                None => {
                    *blocked += 1;
                    was_blocked += 1;
                }
                Some(next) => {
                    went_on += usize::from(next.version != run.version);
                    (*unread, *blocked) = (None, 0);
                    *run = next;
                }
            }
            if run.at.is_none() {
                completed += 1;
                let result = client.payload_json(&record.result.unwrap_or_default()).await?;
                if result != run.log.as_str() {
                    failures.push(format!("run {}: {result}, expected {:?}", run.id, run.log));
                }
            }
        }
        held.retain(|held| held.run.at.is_some() && held.blocked < PATIENCE);
        worker.shutdown().await?;
        if failures.len() > 10 {
            break;
        }
    }
    println!(
        "seed {seed}: {} versions, {started} runs started, {completed} completed, {went_on} went on in another version, \
         {was_blocked} times one was blocked as foretold, {} failures",
        builds.len(),
        failures.len()
    );
    Ok(failures)
}

fn definition_of(workflow: &'static WorkflowEntry) -> StoredDefinition {
    let mut lock = Lock::default();
    lock.record([workflow]);
    lock.definitions()[0].clone()
}

/// The name of the state that a run is in.
fn state_of(run: &Run, versions: &[Version]) -> String {
    let (signal, index) = run.waits_for(versions).expect("it waits");
    match index {
        0 => format!("signal<Signal{signal}>"),
        index => format!("signal<Signal{signal}>#{}", index + 1),
    }
}

/// Looks at a run until it is as wanted, or for ten seconds.
async fn until(
    client: &Client,
    run_id: RunId,
    is_wanted: impl Fn(&RunRecord) -> bool,
) -> piton::Result<RunRecord> {
    let mut looks = 0;
    loop {
        let record = client.find(run_id).await?.expect("the run is there");
        looks += 1;
        if is_wanted(&record) || looks > 5_000 {
            return Ok(record);
        }
        tokio::time::sleep(std::time::Duration::from_millis(2)).await;
    }
}
