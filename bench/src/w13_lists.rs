//! W13: lists and counts of very many runs, and what they cost the commits beside them.

use std::time::{Duration, Instant};

use anyhow::Result;
use futures_util::{StreamExt as _, TryStreamExt as _, stream};
use piton::filter::{Column, Filter};
use piton::model::{AttributeChanges, RunId};
use piton::prelude::Client;
use piton::store::{OrderBy, RunCursor, RunOrder};

use crate::database::StoreKind;
use crate::inspector::Inspector;
use crate::latency::Latencies;
use crate::report::{Figure, Target};
use crate::session::Session;
use crate::system::{System, sustain};
use crate::w1_throughput::STEPS;
use crate::w3_timers::STARTS;
use crate::w6_parked::wait_for_steps;
use crate::workflows::{due, nap};

/// How many runs there are: every second one sleeps, the others are over.
const RUNS: usize = 1_000_000;

/// For how long they sleep: far beyond the end of the measurement.
const SLEEP: Duration = Duration::from_secs(30 * 86_400);

/// How many runs have the same customer.
const OF_A_CUSTOMER: usize = 10;

/// How many of the oldest runs are terminated.
const TERMINATED: usize = 100;

/// How many runs a page has.
const PAGE: u32 = 50;

/// How often each list is asked for, with other values each time.
const TRIES: usize = 20;

/// How long a list may take that an index leads to.
const ALLOWED: Duration = Duration::from_millis(50);

/// How many runs are stepped at a time while somebody lists.
const WINDOW: usize = 256;

/// How long each turn with lists, and each without, runs before it is measured, and how long it is measured.
const TURN: (Duration, Duration) = (Duration::from_millis(500), Duration::from_secs(2));

/// How many turns of each there are.
const TURNS: usize = 5;

/// How often somebody lists during a turn.
const ASKED_EVERY: Duration = Duration::from_millis(100);

/// After this time a list is not asked for again.
const PATIENCE: Duration = Duration::from_secs(10);

pub(crate) async fn run(session: &mut Session) -> Result<()> {
    for kind in session.options.stores.clone() {
        let runs = session.scaled(RUNS);
        let system = System::start(&mut session.databases, kind, |worker| worker).await?;
        let begin = Instant::now();
        fill(&system.client, runs).await?;
        let mut inspector = Inspector::connect(&system.database).await?;
        // Each makes one step: it falls asleep, or is over.
        wait_for_steps(&mut inspector, runs).await?;
        let filled = begin.elapsed();
        terminate(&system.client, runs).await?;
        inspector.analyze().await?;
        inspector.close().await?;
        let asked = questions(&system.client, runs).await?;
        for question in &asked {
            let late = ask(&system.client, question).await?;
            let mut figure = Figure::time("W13", format!("{}, p50", question.what), late.p50());
            if question.is_indexed {
                figure = figure.target(Target::AtMost(ALLOWED.as_secs_f64() * 1e6));
            }
            let at_most = late.quantile(1.0);
            let detail = format!("{runs} runs; at most {at_most:.1?}; of {}", late.len());
            session.report.add(figure.store(kind).detail(detail));
        }
        let rate = runs as f64 / filled.as_secs_f64();
        session
            .report
            .add(Figure::rate("W13", "runs started, labelled and stepped", rate).store(kind));
        beside_commits(session, kind, &system, &asked).await?;
        system.stop().await?;
    }
    Ok(())
}

fn customer(number: usize) -> String {
    format!("customer-{number}")
}

async fn fill(client: &Client, runs: usize) -> Result<()> {
    let millis = u64::try_from(SLEEP.as_millis())?;
    stream::iter(0..runs)
        .map(|number| async move {
            let attributes = AttributeChanges::new()
                .with("customer", customer(number / OF_A_CUSTOMER))
                .with("cents", i64::try_from(number)?);
            if number.is_multiple_of(2) {
                let id = format!("nap-{number}");
                client.start(nap(millis)).id(id).attributes(attributes).await?;
            } else {
                client.start(due()).attributes(attributes).await?;
            }
            anyhow::Ok(())
        })
        .buffer_unordered(STARTS)
        .try_for_each(|()| async { Ok(()) })
        .await?;
    Ok(())
}

/// Ends some of the oldest runs.
async fn terminate(client: &Client, runs: usize) -> Result<()> {
    for number in 0..TERMINATED.min(runs / 2) {
        client.by_id(format!("nap-{}", number * 2)).terminate("enough").await?;
    }
    Ok(())
}

/// A list or a count.
#[derive(Clone)]
struct Question {
    what: &'static str,
    /// Whether an index leads to the runs; otherwise the database looks at one run after the other.
    is_indexed: bool,
    /// The same with other values.
    filters: Vec<Filter>,
    order: RunOrder,
    page: Option<RunCursor>,
    /// Counts by this column instead of listing.
    count: Option<Column>,
}

impl Question {
    fn new(what: &'static str, filter: impl Fn(usize) -> String) -> Result<Self> {
        let filters = (0..TRIES).map(|number| filter(number).parse::<Filter>());
        let filters = filters.collect::<Result<_, _>>()?;
        let order = RunOrder::default();
        Ok(Self { what, is_indexed: true, filters, order, page: None, count: None })
    }

    /// Of all runs.
    fn of_all(what: &'static str) -> Self {
        let (filters, order) = (vec![Filter::all(); TRIES], RunOrder::default());
        Self { what, is_indexed: true, filters, order, page: None, count: None }
    }

    fn without_index(self) -> Self {
        Self { is_indexed: false, ..self }
    }

    fn behind(self, run_id: RunId) -> Self {
        Self { page: Some(run_id.into()), ..self }
    }

    fn newest_by(self, by: OrderBy) -> Self {
        Self { order: RunOrder::descending(by), ..self }
    }

    fn counted_by(self, column: Column) -> Self {
        Self { count: Some(column), ..self }
    }
}

async fn questions(client: &Client, runs: usize) -> Result<Vec<Question>> {
    // A run that differs from try to try.
    let some = |number: usize| (number * 7_919 + 13) % runs;
    let middle = client.by_id(format!("nap-{}", runs / 4 * 2)).status().await?.run_id;
    let of_one = |number| format!("customer = '{}'", customer(some(number) / OF_A_CUSTOMER));
    let open = |_| "workflow = 'nap' and status = 'running'".to_owned();
    Ok(vec![
        Question::of_all("the newest runs"),
        Question::of_all("a page in the middle").behind(middle),
        Question::new("a customer's runs", of_one)?,
        Question::new("a customer's runs of a workflow", |number| {
            format!("{} and workflow = 'nap'", of_one(number))
        })?,
        Question::new("a customer's runs by age", of_one)?.newest_by(OrderBy::Since),
        Question::new("a customer's runs, counted", of_one)?.counted_by(Column::Status),
        Question::new("a range of an attribute", |number| {
            format!("cents between {} and {}", some(number), some(number) + 99)
        })?,
        Question::new("a workflow id", |number| {
            format!("workflow_id = 'nap-{}'", some(number) / 2 * 2)
        })?,
        Question::new("blocked runs", |_| "status = 'blocked'".to_owned())?,
        Question::new("terminated runs of a workflow", |_| {
            "workflow = 'nap' and status = 'terminated'".to_owned()
        })?,
        Question::new("open runs of a workflow", open)?,
        Question::new("the same, in the middle", open)?.behind(middle),
        Question::new("runs in a common state", |_| "state like 's%'".to_owned())?.without_index(),
        Question::new("runs in no run's state", |_| "state = 'nowhere'".to_owned())?
            .without_index(),
        Question::new("runs unchanged for days", |_| {
            "since < now() - interval '3 days'".to_owned()
        })?
        .without_index(),
        Question::of_all("all runs by age").newest_by(OrderBy::Since).without_index(),
        Question::of_all("all runs, counted").counted_by(Column::Status).without_index(),
    ])
}

async fn ask(client: &Client, question: &Question) -> Result<Latencies> {
    let (begin, mut times) = (Instant::now(), Vec::new());
    for filter in &question.filters {
        if begin.elapsed() < PATIENCE {
            let asked_at = Instant::now();
            ask_once(client, question, filter).await?;
            times.push(asked_at.elapsed());
        }
    }
    Ok(times.into_iter().collect())
}

async fn ask_once(client: &Client, question: &Question, filter: &Filter) -> Result<()> {
    if let Some(column) = question.count {
        client.count(filter).group_by(column).await?;
        return Ok(());
    }
    let list = client.list_runs(filter).order_by(question.order).limit(PAGE);
    match question.page {
        Some(page) => list.page(page).await?,
        None => list.await?,
    };
    Ok(())
}

/// The rate of steps with and without somebody who lists, by turns.
async fn beside_commits(
    session: &mut Session,
    kind: StoreKind,
    system: &System,
    questions: &[Question],
) -> Result<()> {
    let server = session.databases.server_pid(kind);
    let asked: Vec<Question> =
        questions.iter().filter(|question| question.is_indexed).cloned().collect();
    let (mut alone, mut beside) = (0.0, 0.0);
    for _ in 0..TURNS {
        alone += sustain(&system.client, WINDOW, STEPS, TURN, server).await?.rate;
        let lists = tokio::spawn(keep_asking(system.client.clone(), asked.clone()));
        beside += sustain(&system.client, WINDOW, STEPS, TURN, server).await?.rate;
        lists.abort();
    }
    let steps = f64::from(STEPS) / TURNS as f64;
    session.report.add(
        Figure::rate("W13", "steps beside ten lists per second", beside * steps)
            .store(kind)
            .raw(alone * steps)
            .target(Target::RatioAtLeast(0.9))
            .detail("the limit is the rate without lists, by turns"),
    );
    Ok(())
}

async fn keep_asking(client: Client, questions: Vec<Question>) -> Result<()> {
    let mut due = tokio::time::interval(ASKED_EVERY);
    for number in 0.. {
        due.tick().await;
        let question = &questions[number % questions.len()];
        ask_once(&client, question, &question.filters[number % TRIES]).await?;
    }
    Ok(())
}
