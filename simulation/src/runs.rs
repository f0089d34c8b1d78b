//! Simulated clients: they start runs, send signals, cancel and terminate runs, and await results.

use std::sync::Arc;
use std::time::Duration;

use fastrand::Rng;
use piton::client::{OnConflict, RunHandle};
use piton::error::{RunError, SignalError, UpdateError};
use piton::filter::{self, Filter};
use piton::machine::{Signal, Workflow, WorkflowCall};
use piton::model::{RunId, RunStatus};
use piton::store::contract::*;
use piton::store::{RunKey, RunQuery, RunRecord};
use tokio::time::{sleep, timeout};

use crate::notaries;
use crate::operators;
use crate::program::{self, Entry, Luck, Op};
use crate::ties;
use crate::workflows::{Number, Question, Riddle, cancellable, hasty, interpret, revocable};
use crate::world::World;

/// How long a client waits for an answer before it asks elsewhere.
const PATIENCE: Duration = Duration::from_secs(30);

/// The wait before a client asks again.
const AGAIN_AFTER: Duration = Duration::from_millis(100);

/// What is drawn for one run.
struct Plan {
    program: Vec<Op>,
    start_after: Duration,
    /// The wait before each signal.
    gap: Duration,
    /// How it is ended from outside, and when.
    end: Option<(End, Duration)>,
    /// Whether it undoes what it has done if it is cancelled.
    is_undone: bool,
    /// Whether somebody waits for its result.
    is_awaited: bool,
    /// Whether it goes on ahead of its checkpoint.
    is_relaxed: bool,
    /// Whether it is started with its first signal.
    starts_with_signal: bool,
}

#[derive(Clone, Copy, Debug, PartialEq)]
enum End {
    Cancel,
    Terminate,
}

impl Plan {
    /// The same for the same run, however many others there are.
    fn draw(world: &World, number: usize) -> Self {
        let mut rng = Rng::with_seed(world.plan.seed.rotate_left(32) ^ number as u64);
        let span = world.plan.faulty_for.as_millis() as u64;
        let end = match rng.u32(0..12) {
            0 => Some(End::Cancel),
            1 => Some(End::Terminate),
            _ => None,
        };
        Self {
            program: program::draw(&mut rng),
            start_after: Duration::from_millis(rng.u64(0..span)),
            gap: Duration::from_millis(if rng.bool() { 0 } else { rng.u64(0..2_000) }),
            end: end.map(|end| (end, Duration::from_millis(rng.u64(0..5_000)))),
            is_undone: number.is_multiple_of(2),
            is_awaited: rng.u32(0..8) == 0,
            is_relaxed: rng.u32(0..4) == 0,
            starts_with_signal: rng.u32(0..4) == 0,
        }
    }
}

/// A run that was acknowledged.
pub(crate) struct Acknowledged {
    number: usize,
    run_id: RunId,
    /// The numbers of the signals that were acknowledged.
    signals: Vec<u32>,
}

/// Everything that is done to one run.
pub(crate) async fn live(world: Arc<World>, number: usize) -> Acknowledged {
    let plan = Plan::draw(&world, number);
    sleep(plan.start_after).await;
    match plan.end {
        Some((End::Cancel, _)) if plan.is_undone => live_as(&world, number, &plan, revocable).await,
        Some((End::Cancel, _)) => live_as(&world, number, &plan, cancellable).await,
        _ if plan.is_relaxed => live_as(&world, number, &plan, hasty).await,
        _ => live_as(&world, number, &plan, interpret).await,
    }
}

async fn live_as<W: Workflow<Error: ToString>>(
    world: &Arc<World>,
    number: usize,
    plan: &Plan,
    workflow: fn(Vec<Op>) -> WorkflowCall<W>,
) -> Acknowledged {
    let id = format!("run-{number}");
    notaries::complete_ahead(world, &id);
    let by_signal = plan.starts_with_signal && program::signals(&plan.program) > 0;
    let run_id = ask(world, |client| {
        let (call, id) = (workflow(plan.program.clone()), id.clone());
        async move {
            let started = if by_signal {
                client.signal_or_start(Number(0), call).id(id).dedup_key(key_of(0)).await
            } else {
                client.start(call).id(id).on_conflict(OnConflict::UseExisting).await
            };
            Some(started.ok()?.run_id())
        }
    })
    .await;
    let completed = notaries::complete_own(world, run_id, ties::promises(&plan.program));
    let signals = feed::<W>(world, run_id, plan);
    let answers = ask_questions::<W>(world, run_id, plan);
    let end = async {
        let Some((end, after)) = plan.end else { return };
        sleep(after).await;
        ask(world, |client| async move {
            let run: RunHandle<W> = client.run(run_id).await.ok()?;
            match end {
                End::Cancel => settled(run.cancel("enough").dedup_key("end").await),
                End::Terminate => run.terminate("enough").await.ok().map(drop),
            }
        })
        .await;
    };
    let result = async {
        if plan.is_awaited {
            await_result::<W>(world, run_id).await;
        }
    };
    let pause = operators::pause(world, number, run_id);
    let (signals, (), (), (), (), ()) =
        tokio::join!(biased; signals, answers, completed, end, result, pause);
    Acknowledged { number, run_id, signals }
}

/// Sends all signals that the program may ask for. Returns those that were acknowledged.
async fn feed<W: Workflow>(world: &Arc<World>, run_id: RunId, plan: &Plan) -> Vec<u32> {
    let mut acknowledged = Vec::new();
    for number in 0..program::signals(&plan.program) {
        sleep(plan.gap).await;
        // Some come again, from somewhere else.
        let times = 1 + u32::from(number % 3 == 0);
        for _ in 0..times {
            let open = ask(world, |client| async move {
                let run: RunHandle<W> = client.run(run_id).await.ok()?;
                let sent = match number % 4 {
                    // The database may not have the definition yet.
                    1 => client.signal_json(run_id, Number::NAME, &number.into()).unchecked(),
                    _ => run.signal(Number(number)),
                };
                match sent.dedup_key(key_of(number)).await {
                    Ok(()) => Some(true),
                    Err(SignalError::Closed { .. }) => Some(false),
                    Err(_) => None,
                }
            })
            .await;
            if !open {
                return acknowledged;
            }
        }
        acknowledged.push(number);
    }
    acknowledged
}

/// Asks all questions that the program may answer, some of them twice, and compares the answers.
async fn ask_questions<W: Workflow>(world: &Arc<World>, run_id: RunId, plan: &Plan) {
    for number in 0..program::questions(&plan.program) {
        sleep(plan.gap).await;
        let question = Question(number);
        for _ in 0..1 + number % 2 {
            let answer = ask(world, |client| async move {
                let run: RunHandle<W> = client.run(run_id).await.ok()?;
                match run.update(question).id(format!("question {number}")).await {
                    Ok(answer) => Some(Some(answer)),
                    Err(UpdateError::Closed { .. } | UpdateError::Dropped { .. }) => Some(None),
                    // The run may still take it, and so it is asked once more.
                    Err(UpdateError::Store(_)) => None,
                    Err(error) => panic!("question {number} for {run_id} came to {error:?}"),
                }
            })
            .await;
            match answer {
                None => return,
                Some(answer) if answer == question.answer() => {}
                Some(answer) => {
                    world.violate(format!("{run_id} answers question {number} with {answer}"));
                }
            }
        }
        if number % 2 == 1 {
            guess_riddle::<W>(world, run_id, number).await;
        }
    }
}

/// Asks for the answer to another update that has the id of a question: there is none, whatever became of the question.
async fn guess_riddle<W: Workflow>(world: &Arc<World>, run_id: RunId, number: u32) {
    let is_refused = ask(world, |client| async move {
        let run: RunHandle<W> = client.run(run_id).await.ok()?;
        match run.update_by_id::<Riddle>(format!("question {number}")).reply().await {
            Err(UpdateError::Store(_)) => None,
            refused => Some(matches!(refused, Err(UpdateError::IdTaken { .. }))),
        }
    })
    .await;
    if !is_refused {
        world.violate(format!("{run_id} takes question {number} for a riddle"));
    }
}

fn key_of(number: u32) -> String {
    format!("{number}")
}

/// Signals runs that a client has started without ever knowing, and that therefore nobody feeds.
pub(crate) async fn feed_strangers(world: &Arc<World>, started: &[Acknowledged]) {
    let filter = filter::status().equals(RunStatus::Running);
    let open = world.database.list_runs(RunQuery::of(&filter)).await.unwrap_or_default();
    for run in open {
        let is_known = started.iter().any(|started| started.run_id == run.run_id);
        if !is_known && let Some(number) = number_of(&run) {
            let plan = Plan::draw(world, number);
            let promises = ties::promises(&plan.program);
            notaries::complete_own(world, run.run_id, promises).await;
            let fed = match plan.end {
                Some((End::Cancel, _)) if plan.is_undone => {
                    feed::<revocable>(world, run.run_id, &plan).await
                }
                Some((End::Cancel, _)) => feed::<cancellable>(world, run.run_id, &plan).await,
                _ if plan.is_relaxed => feed::<hasty>(world, run.run_id, &plan).await,
                _ => feed::<interpret>(world, run.run_id, &plan).await,
            };
            drop(fed);
        }
    }
}

/// Asks one client after the other until there is an answer.
pub(crate) async fn ask<T, F>(
    world: &Arc<World>,
    question: impl Fn(piton::client::Client) -> F,
) -> T
where
    F: Future<Output = Option<T>>,
{
    loop {
        let (process, client) = world.choose_client();
        let asked = timeout(PATIENCE, process.scope(question(client))).await;
        if let Ok(Some(answer)) = asked {
            return answer;
        }
        sleep(AGAIN_AFTER).await;
    }
}

fn settled(sent: Result<(), SignalError>) -> Option<()> {
    match sent {
        Ok(()) | Err(SignalError::Closed { .. }) => Some(()),
        Err(_) => None,
    }
}

/// Waits for a result, however often the database fails. What it is is checked at the end.
async fn await_result<W: Workflow>(world: &Arc<World>, run_id: RunId) {
    ask(world, |client| async move {
        let run: RunHandle<W> = client.run(run_id).await.ok()?;
        match run.result().await {
            Err(RunError::Store(_)) => None,
            _ => Some(()),
        }
    })
    .await;
    let closed = world.database.find_run(&RunKey::RunId(run_id)).await.ok().flatten();
    if closed.is_none_or(|run| run.status.is_open()) {
        world.violate(format!("{run_id} has a result and is open"));
    }
}

/// Compares the end of every run with what a plain execution could have come to.
pub(crate) async fn check_results(world: &Arc<World>, started: &[Acknowledged]) {
    let all = Filter::all();
    let all = world.database.list_runs(RunQuery::of(&all)).await.unwrap_or_default();
    for run in &all {
        let Some(number) = number_of(run) else { continue };
        let plan = Plan::draw(world, number);
        let signals = started.iter().find(|started| started.run_id == run.run_id);
        let signals = signals.map(|started| started.signals.as_slice()).unwrap_or_default();
        let was_refused = |said| world.was_refused(said);
        if let Err(problem) = check_result(&plan, run, signals, world.luck_of(run), was_refused) {
            world.violate(format!("{}: {problem}; {:?}", run.workflow_id, plan.program));
        }
    }
    for lost in started.iter().filter(|started| !all.iter().any(|run| run.run_id == started.run_id))
    {
        world.violate(format!("run-{} was acknowledged and is not there", lost.number));
    }
}

fn check_result(
    plan: &Plan,
    run: &RunRecord,
    signals: &[u32],
    luck: Luck,
    was_refused: impl Fn(i64) -> bool,
) -> Result<(), String> {
    match (run.status, plan.end) {
        (RunStatus::Completed, end) => {
            let result = run.result.as_ref().ok_or("completed without a result")?;
            let entries: Vec<Entry> = match end {
                Some((End::Cancel, _)) => {
                    let result: Result<Vec<Entry>, String> =
                        piton::codec::from_payload(result).map_err(|error| error.to_string())?;
                    result?
                }
                _ => piton::codec::from_payload(result).map_err(|error| error.to_string())?,
            };
            let may_be_cancelled = end.is_some() && plan.is_undone;
            let luck = Luck { may_be_cancelled, ..luck };
            program::check(&plan.program, &entries, signals, luck)?;
            let refused = entries.iter().find(|entry| match entry {
                Entry::Value(value) => *value > program::VALUES && was_refused(*value),
                _ => false,
            });
            refused.map_or(Ok(()), |refused| Err(format!("{refused:?} was refused and counts")))
        }
        (RunStatus::Cancelled, Some((End::Cancel, _)))
        | (RunStatus::Terminated, Some((End::Terminate, _))) => Ok(()),
        // What undoes something fails like any other activity.
        (RunStatus::Failed, Some((End::Cancel, _))) if plan.is_undone && luck.was_faulty => Ok(()),
        (status, end) => Err(format!("is {status}, though {end:?} was asked for: {run:?}")),
    }
}

fn number_of(run: &RunRecord) -> Option<usize> {
    run.workflow_id.strip_prefix("run-")?.parse().ok()
}

/// Whether a run with this workflow id is one that clients start.
pub(crate) fn is_numbered(workflow_id: &str) -> bool {
    workflow_id.starts_with("run-")
}
