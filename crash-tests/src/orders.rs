//! Orders with children, and receipts that another process provides, by a program that is killed.
//!
//! An order starts a child for each part, awaits some of them, and has another child, a watch, that never ends by
//! itself. The order completes, fails, is cancelled, or waits for a receipt. At the end each child must exist once and
//! have ended by its parent and its policy, a parent must have the results of its children, and a promise must have one
//! outcome, however often it was completed.

use std::collections::BTreeMap;
use std::fs::OpenOptions;
use std::io::{self, Write as _};
use std::path::{Path, PathBuf};
use std::time::Duration;

use piton::client::Completed;
use piton::error::{CompleteError, LookupError};
use piton::filter::Filter;
use piton::machine::{Never, PromiseError};
use piton::model::{ParentClose, RunStatus};
use piton::prelude::*;
use piton::sqlx::{self, AnyConnection, AssertSqlSafe, Connection as _};

/// The number of parts of an order.
const PARTS: u64 = 3;

/// The time limit of the last round, and of each order: more than they need on a busy machine.
const PATIENCE: Duration = Duration::from_secs(60);
const PATIENCE_PER_ORDER: Duration = Duration::from_millis(200);

/// How often to check whether all orders have ended.
const LOOK_INTERVAL: Duration = Duration::from_millis(20);

/// Longer than a test takes.
const FOR_EVER: Duration = Duration::from_secs(30 * 86_400);

/// The expected end of an order.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Fate {
    /// All parts are packed.
    Packed,
    /// It fails once its first part is packed.
    Fails,
    /// It is cancelled, if the request comes in time.
    CalledOff,
    /// It is packed when there is a receipt.
    Paid,
}

impl Fate {
    /// The fate of this order.
    pub fn of(number: u64) -> Self {
        [Self::Packed, Self::Fails, Self::CalledOff, Self::Paid][number as usize % 4]
    }
}

/// Packs a part of an order, which takes a moment.
#[workflow]
pub async fn pack(cx: &Context, order: u64, part: u64) -> piton::Result<u64> {
    cx.sleep(Duration::from_millis((order + part) % 4)).await;
    prepare(order, part).await;
    Ok(order * PARTS + part)
}

/// Does nothing.
#[activity]
pub async fn prepare(order: u64, part: u64) {
    let _ = (order, part);
}

/// Watches an order until the order ends.
#[workflow]
pub async fn watch(cx: &Context, order: u64) -> u64 {
    cx.sleep(FOR_EVER).await;
    order
}

/// Fills an order: packs its parts and watches it. Returns the sum of its parts' results, and the receipt.
#[workflow]
pub async fn order(cx: &Context, number: u64) -> piton::Result<(u64, String)> {
    let policies = [ParentClose::Terminate, ParentClose::RequestCancel];
    let watch_policy = policies[number as usize / 4 % 2];
    let _ = cx.start_child(watch(number)).id(watch_id(number)).on_parent_close(watch_policy);
    let mut parts = Vec::new();
    for part in 0..PARTS {
        let child = cx.start_child(pack(number, part)).id(part_id(number, part));
        parts.push(child.on_parent_close(ParentClose::Abandon));
    }
    let mut sum = 0;
    for part in parts {
        sum += part.await?;
        ensure!(Fate::of(number) != Fate::Fails, "the shelf is empty");
    }
    if Fate::of(number) != Fate::Paid {
        return Ok((sum, String::new()));
    }
    let receipt: Promise<String, Never> = cx.promise(RECEIPT);
    Ok((sum, receipt.await?))
}

const RECEIPT: &str = "receipt";

/// The workflow id of an order.
pub fn order_id(number: u64) -> String {
    format!("order-{number}")
}

fn part_id(number: u64, part: u64) -> String {
    format!("order-{number}-part-{part}")
}

fn watch_id(number: u64) -> String {
    format!("order-{number}-watch")
}

fn token_of(number: u64) -> PromiseToken {
    PromiseToken::of_workflow_id(order::NAME, order_id(number), RECEIPT)
}

fn receipts(folder: &Path) -> PathBuf {
    folder.join("receipts.txt")
}

/// Writes a receipt for each order that waits for one, in another process than the one that fills the orders. Records
/// the accepted completions in a file.
///
/// # Errors
/// The database fails, or the file cannot be written.
pub async fn write_receipts(client: &Client, folder: &Path, orders: u64) -> piton::Result<()> {
    let notes = OpenOptions::new().create(true).append(true).open(receipts(folder))?;
    let note = |line: String| -> io::Result<()> { (&notes).write_all(line.as_bytes()) };
    for number in (0..orders).filter(|number| Fate::of(*number) == Fate::Paid) {
        let receipt = format!("{number}-by-{}", std::process::id());
        match client.promise(&token_of(number)).resolve(&receipt).await {
            Ok(Completed::First) => note(format!("first {receipt}\n"))?,
            Ok(Completed::Already(settled)) => {
                let known: Result<String, PromiseError<Never>> = settled.read()?;
                note(format!("known {}\n", known?))?;
            }
            // Only an order with its receipt has closed.
            Err(CompleteError::Closed { .. }) => {}
            Err(error) => return Err(error.into()),
        }
    }
    Ok(())
}

/// Starts the missing orders, and cancels some of them.
///
/// # Errors
/// The database fails.
pub async fn start(client: &Client, orders: u64) -> piton::Result<()> {
    for number in 0..orders {
        let id = order_id(number);
        let run = match client.run::<order>(id.as_str()).await {
            Err(LookupError::Unknown(_)) => client.start(order(number)).id(id).await?,
            found => found?,
        };
        if Fate::of(number) == Fate::CalledOff {
            match run.cancel("changed my mind").dedup_key("call off").await {
                Ok(()) | Err(SignalError::Closed { .. }) => {}
                Err(error) => return Err(error.into()),
            }
        }
    }
    Ok(())
}

/// Waits for the end of all runs, and checks the books. Can be interrupted and repeated.
///
/// # Errors
/// The books do not balance, the runs do not end in time, or the database fails.
pub async fn finish(client: &Client, url: &str, folder: &Path, orders: u64) -> piton::Result<()> {
    let patience = PATIENCE + PATIENCE_PER_ORDER * u32::try_from(orders)?;
    let settled = tokio::time::timeout(patience, settle(client, url, orders)).await;
    if let Ok(settled) = settled {
        settled?;
        return check(client, folder, orders).await;
    }
    let mut runs = client.list_runs(Filter::all()).limit(u32::MAX).await?.runs;
    runs.retain(|run| run.closed_at.is_none());
    bail!("the orders do not come to their end: {runs:?}");
}

async fn settle(client: &Client, url: &str, orders: u64) -> piton::Result<()> {
    for number in 0..orders {
        // The result is checked later.
        let _ = client.run::<order>(order_id(number)).await?.result().await;
    }
    sqlx::any::install_default_drivers();
    let mut books = AnyConnection::connect(url).await?;
    let left = "SELECT count(*) FROM piton_runs WHERE closed_at IS NULL";
    let sent = "SELECT count(*) FROM piton_outbox";
    while rows(&mut books, left).await? + rows(&mut books, sent).await? > 0 {
        tokio::time::sleep(LOOK_INTERVAL).await;
    }
    for table in ["piton_inbox", "piton_dead_letters", "piton_child_waits", "piton_promise_waits"] {
        let left = rows(&mut books, &format!("SELECT count(*) FROM {table}")).await?;
        ensure!(left == 0, "{left} rows are left in {table}");
    }
    books.close().await?;
    Ok(())
}

async fn rows(books: &mut AnyConnection, sql: &str) -> Result<i64, sqlx::Error> {
    sqlx::query_scalar(AssertSqlSafe(sql.to_owned())).fetch_one(books).await
}

/// Compares the ends of the runs with the expectation.
async fn check(client: &Client, folder: &Path, orders: u64) -> piton::Result<()> {
    let all = client.list_runs(Filter::all()).limit(u32::MAX).await?.runs;
    let mut ends: BTreeMap<String, RunStatus> = BTreeMap::new();
    for run in all {
        let id = run.workflow_id;
        ensure!(ends.insert(id.clone(), run.status).is_none(), "{id} is there twice");
    }
    let receipts = std::fs::read_to_string(receipts(folder)).unwrap_or_default();
    for number in 0..orders {
        check_order(client, number, &mut ends, &receipts)
            .await
            .map_err(|error| error.context(order_id(number)))?;
    }
    ensure!(ends.is_empty(), "{ends:?} belong to no order");
    Ok(())
}

async fn check_order(
    client: &Client,
    number: u64,
    ends: &mut BTreeMap<String, RunStatus>,
    receipts: &str,
) -> piton::Result<()> {
    let end = ends.remove(&order_id(number));
    match (Fate::of(number), end) {
        (Fate::Packed | Fate::CalledOff | Fate::Paid, Some(RunStatus::Completed)) => {
            let (sum, receipt) = client.run::<order>(order_id(number)).await?.result().await?;
            let expected: u64 = (0..PARTS).map(|part| number * PARTS + part).sum();
            ensure!(sum == expected, "its parts have returned {sum}");
            if Fate::of(number) == Fate::Paid {
                check_receipt(client, number, &receipt, receipts).await?;
            }
        }
        (Fate::Fails, Some(RunStatus::Failed)) | (Fate::CalledOff, Some(RunStatus::Cancelled)) => {}
        (fate, end) => bail!("it is {end:?}, though it was to be {fate:?}"),
    }
    // An order that was cancelled before its first step has no children.
    let watched = ends.remove(&watch_id(number));
    let is_expected = match number / 4 % 2 {
        0 => watched == Some(RunStatus::Terminated),
        _ => watched == Some(RunStatus::Cancelled),
    };
    let never_began = end == Some(RunStatus::Cancelled) && watched.is_none();
    ensure!(is_expected || never_began, "its watch is {watched:?}");
    for part in 0..PARTS {
        let packed = ends.remove(&part_id(number, part));
        let is_packed = packed == Some(RunStatus::Completed);
        let is_missing = never_began && packed.is_none();
        ensure!(is_packed || is_missing, "its part {part} is {packed:?}");
    }
    Ok(())
}

/// Compares the receipt of an order with the result that the other process got.
async fn check_receipt(
    client: &Client,
    number: u64,
    receipt: &str,
    receipts: &str,
) -> piton::Result<()> {
    let settled = client.promise(&token_of(number)).peek().await?;
    let Some(settled) = settled else { bail!("its receipt is not there") };
    let known: Result<String, PromiseError<Never>> = settled.read()?;
    ensure!(known? == receipt, "its receipt is another one than {receipt}");
    let prefix = format!("{number}-by-");
    for line in receipts.lines() {
        let Some((_, told)) = line.split_once(' ') else { bail!("what is {line}?") };
        let is_other = told.starts_with(&prefix) && told != receipt;
        ensure!(!is_other, "its receipt is {receipt}, and somebody was told `{line}`");
    }
    Ok(())
}
