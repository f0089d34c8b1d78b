//! The whole job: read the orders, continue open runs, start new ones, watch, report.
//!
//! Invariant: only the database records the progress. The program keeps nothing else between two starts, so killing it
//! at any line loses nothing: an order has a run or gets one, and an order with a run is never started again, whether
//! the run is closed or not.

use std::collections::HashSet;
use std::time::{Duration, Instant};

use piton::prelude::*;
use tokio::task::JoinSet;

use super::approver::Approver;
use super::catalog::Catalog;
use super::error::JobError;
use super::gateway::{Audit, Faults, Gateway, Ledger, Service};
use super::input::{self, Input};
use super::options::{Approve, Options};
use super::order::Order;
use super::progress::{Progress, Tally};
use super::report::{Report, count, render_checks, render_input};
use super::runs::{self, Run};
use super::storage::{self, Storage};
use super::verify;
use super::workflow::fulfill;

/// How long to wait between two looks at the runs, at least.
const WATCH_INTERVAL: Duration = Duration::from_millis(200);
/// Looking at the runs may take this part of the time, however many there are.
const WATCH_SHARE: u32 = 4;

/// How the program ended.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Ending {
    /// Every order has an outcome, or every rule holds.
    Good,
    /// Some order has no outcome and will not get one by itself, or a rule does not hold.
    Bad,
    /// The program was requested to stop. The same command continues.
    Interrupted,
}

/// Carries out the orders.
///
/// # Errors
/// See [`JobError`]. The progress so far is kept; the same command continues.
pub async fn run(options: &Options) -> Result<Ending, JobError> {
    let catalog = Catalog::bundled();
    let input = read_input(options, &catalog)?;
    if options.fresh {
        delete_everything(options)?;
    }
    std::fs::create_dir_all(&options.data)
        .map_err(|source| JobError::Data { path: options.data.clone(), source })?;

    let client = Client::connect(&options.database()).await?;
    let found = runs::list(&client).await?;
    let faults = if options.calm { Faults::NONE } else { Faults::EVERYDAY };
    let ledger = Ledger::open(&options.ledger_file(), &catalog, faults).await?;
    if found.is_empty() && !Audit::read(&options.ledger_file()).await?.effects.is_empty() {
        let (ledger, database) = (options.ledger_file(), options.database());
        return Err(JobError::ForeignLedger { ledger, database });
    }
    let service = Service::start(ledger).await.map_err(JobError::Socket)?;
    let gateway = Gateway::new(service.url()).map_err(JobError::Client)?;

    let begun = Instant::now();
    let worker = Worker::new(&client)
        .provide(gateway)
        .max_activities(options.concurrency.into())
        .start()
        .await?;
    let new = announce(&input, &found, options);
    let ending = watch(&client, &found, new, options).await?;
    worker.shutdown().await.map_err(JobError::Shutdown)?;
    let elapsed = begun.elapsed();
    let runs = runs::list(&client).await?;
    service.stop().await;
    client.close().await;

    let report = report(options, runs, &found, elapsed).await?;
    print!("{}", report.render(&input));
    Ok(match ending {
        Ending::Good if report.failures().next().is_some() => Ending::Bad,
        ending => ending,
    })
}

/// Checks the books and does nothing else.
///
/// # Errors
/// See [`JobError`].
pub async fn verify(options: &Options) -> Result<Ending, JobError> {
    let input = read_input(options, &Catalog::bundled())?;
    for path in options.database_file().into_iter().chain([options.ledger_file()]) {
        if !path.exists() {
            return Err(JobError::NothingToVerify { path });
        }
    }
    let client = Client::connect(&options.database()).await?;
    let runs = runs::list(&client).await?;
    client.close().await;
    let audit = Audit::read(&options.ledger_file()).await?;
    let checks = verify::check(&input, &runs, &audit);
    print!("{}", render_checks(&checks));
    let is_good = checks.iter().all(|check| check.violations.is_empty());
    Ok(if is_good { Ending::Good } else { Ending::Bad })
}

fn read_input(options: &Options, catalog: &Catalog) -> Result<Input, JobError> {
    let file = options.file();
    let input = input::read(&file, catalog)?;
    let name = file.file_name().unwrap_or(file.as_os_str()).to_string_lossy();
    print!("{}", render_input(&name, &input));
    Ok(input)
}

fn delete_everything(options: &Options) -> Result<(), JobError> {
    let database =
        options.database_file().ok_or_else(|| JobError::NotAFile { url: options.database() })?;
    for path in [database, options.ledger_file()] {
        storage::delete(&path).map_err(|source| JobError::Data { path, source })?;
    }
    Ok(())
}

/// Says what there is to do, and gives the orders that have no run yet.
fn announce(input: &Input, found: &[Run], options: &Options) -> Vec<Order> {
    let known: HashSet<_> = found.iter().map(|run| run.order_id.as_str()).collect();
    let new: Vec<_> =
        input.orders.iter().filter(|order| !known.contains(order.id.as_str())).cloned().collect();
    let unfinished = found.iter().filter(|run| run.is_open()).count();
    let runs = count(found.len(), "run");
    match unfinished {
        _ if found.is_empty() => {}
        0 => println!("Found {runs}, all finished."),
        _ => {
            let finished = found.len() - unfinished;
            println!("Found {runs}: {finished} finished, {unfinished} unfinished. Resuming those.");
        }
    }
    if !new.is_empty() {
        println!("Starting {}.", count(new.len(), "order"));
    }
    println!(
        "{}",
        match options.approve {
            Approve::None => "Nobody approves large orders.",
            Approve::All => "Large orders are approved.",
        }
    );
    new
}

/// Starts the new orders and looks on until all runs are settled.
async fn watch(
    client: &Client,
    found: &[Run],
    new: Vec<Order>,
    options: &Options,
) -> Result<Ending, JobError> {
    let tally = Tally::of(found);
    let is_logging = std::env::var_os("RUST_LOG").is_some();
    let mut progress = Progress::new((found.len() + new.len()) as u64, &tally, is_logging);
    let mut approver = Approver::new(client.clone(), options.approve);
    let mut starting = tokio::spawn(start(client.clone(), new, options.clone()));
    let mut is_started = false;
    let mut pause = Duration::ZERO;
    let mut stop = std::pin::pin!(tokio::signal::ctrl_c());
    loop {
        tokio::select! {
            () = tokio::time::sleep(pause) => {}
            started = &mut starting, if !is_started => {
                started.map_err(JobError::Panicked)??;
                is_started = true;
            }
            _ = &mut stop => {
                starting.abort();
                progress.finish();
                println!("Stopping: calls that are under way may end.");
                return Ok(Ending::Interrupted);
            }
        }
        let looking = Instant::now();
        let runs = runs::list(client).await?;
        approver.look(&runs).await?;
        let tally = Tally::of(&runs);
        progress.show(&tally);
        if is_started && tally.is_settled() {
            progress.finish();
            return Ok(Ending::Good);
        }
        pause = WATCH_INTERVAL.max(looking.elapsed() * WATCH_SHARE);
    }
}

/// Starts a run for each order.
async fn start(client: Client, orders: Vec<Order>, options: Options) -> Result<(), JobError> {
    let mut starting = JoinSet::new();
    for order in orders {
        if starting.len() >= usize::from(options.concurrency)
            && let Some(started) = starting.join_next().await
        {
            started.map_err(JobError::Panicked)??;
        }
        let client = client.clone();
        let window = options.approval_window;
        starting.spawn(async move {
            let id = order.id.clone();
            // Another process over the same file may have been quicker.
            let start = client.start(fulfill(order, window)).id(id);
            start.on_conflict(OnConflict::UseExisting).await.map(drop)
        });
    }
    while let Some(started) = starting.join_next().await {
        started.map_err(JobError::Panicked)??;
    }
    Ok(())
}

async fn report(
    options: &Options,
    runs: Vec<Run>,
    found: &[Run],
    elapsed: Duration,
) -> Result<Report, JobError> {
    let mut storage = Vec::new();
    for path in options.database_file().into_iter().chain([options.ledger_file()]) {
        storage.push(Storage::measure(&path).await.map_err(JobError::Storage)?);
    }
    let audit = Audit::read(&options.ledger_file()).await?;
    let steps = Tally::of(&runs).steps.saturating_sub(Tally::of(found).steps);
    let (calls, attempts) = (audit.calls, audit.attempts);
    Ok(Report { runs, elapsed, steps, storage, calls, attempts })
}
