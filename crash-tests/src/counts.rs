//! Runs that count, by a program that is killed: a crowd of children, a chain of runs, a run that answers updates, and
//! runs that are paused. At the end each child, turn and update must count once, repeated requests of an update must
//! get the same answer, and a paused run must continue where it was.

use std::path::Path;
use std::time::Duration;

use piton::client::RunHandle;
use piton::error::LookupError;
use piton::machine::{Workflow, WorkflowCall};
use piton::prelude::*;
use serde::{Deserialize, Serialize};

/// The number of children of the crowd.
pub const CROWD: u64 = 50;

/// The number of runs of the chain.
const TURNS: u64 = 20;

/// The number of updates.
const UPDATES: u64 = 20;

/// The number of runs that are paused, one after the other.
const WALKS: u64 = 4;

/// The number of stops of a walk.
const STOPS: u64 = 10;

/// The time limit of the last round: more than it needs on a busy machine.
const PATIENCE: Duration = Duration::from_secs(60);

/// Returns its number after a moment.
#[workflow]
pub async fn member(cx: &Context, number: u64) -> u64 {
    cx.sleep(Duration::from_millis(number % 5)).await;
    number
}

/// Starts the whole crowd and awaits each child. Returns the sum of their numbers.
#[workflow]
pub async fn crowd(cx: &Context) -> piton::Result<u64> {
    let mut members = Vec::new();
    for number in 0..CROWD {
        members.push(cx.start_child(member(number)).id(format!("member-{number}")));
    }
    let mut sum = 0;
    for member in members {
        sum += member.await?;
    }
    Ok(sum)
}

/// Takes a turn, and continues as the run that takes the next one. Returns the sum of their numbers.
#[workflow]
pub async fn turn(cx: &Context, number: u64, sum: u64) -> u64 {
    cx.sleep(Duration::from_millis(1)).await;
    let sum = sum + number;
    if number == TURNS {
        return sum;
    }
    return cx.continue_as_new(turn(number + 1, sum));
}

/// Adds a number. The answer is the sum.
#[derive(Clone, Copy, Debug, Update, Serialize, Deserialize)]
#[update(reply = u64)]
pub struct Add(pub u64);

/// Sums up its updates. Returns the sum.
#[workflow]
pub async fn adder(cx: &Context) -> u64 {
    let mut sum = 0;
    for _ in 0..UPDATES {
        let (Add(number), answer) = cx.update::<Add>().await.into_parts();
        sum += number;
        answer.reply(sum);
    }
    sum
}

/// Goes from stop to stop. Returns their number.
#[workflow]
pub async fn walk(cx: &Context) -> u64 {
    let mut seen = 0;
    while seen < STOPS {
        cx.sleep(Duration::from_millis(1)).await;
        seen += 1;
    }
    seen
}

/// Starts a run, or finds it.
async fn start<W: Workflow>(
    client: &Client,
    call: WorkflowCall<W>,
    id: &str,
) -> piton::Result<RunHandle<W>> {
    match client.run::<W>(id).await {
        Err(LookupError::Unknown(_)) => Ok(client.start(call).id(id).await?),
        found => Ok(found?),
    }
}

/// Starts the missing runs, drives all to their end, and checks their results. Can be interrupted and repeated.
///
/// # Errors
/// A result is wrong, the runs do not end in time, or the database fails.
pub async fn count(client: &Client, folder: &Path) -> piton::Result<()> {
    let counted = tokio::time::timeout(PATIENCE, async {
        let crowd = start(client, crowd(), "crowd").await?;
        let first = start(client, turn(1, 0), "turn").await?;
        for number in 0..WALKS {
            let walk = start(client, walk(), &format!("walk-{number}")).await?;
            interrupt(&walk).await?;
        }
        answer(client, folder).await?;
        let sum = crowd.result().await?;
        ensure!(sum == (0..CROWD).sum::<u64>(), "the crowd has come to {sum}");
        let sum = first.result().await?;
        ensure!(sum == (1..=TURNS).sum::<u64>(), "the turns have come to {sum}");
        for number in 0..WALKS {
            let seen = client.run::<walk>(format!("walk-{number}")).await?.result().await?;
            ensure!(seen == STOPS, "walk {number} has seen {seen} stops");
        }
        Ok(())
    });
    counted.await.unwrap_or_else(|_| bail!("the runs do not come to their end"))
}

/// Pauses a run, checks that it makes no step, and resumes it.
async fn interrupt(walk: &RunHandle<walk>) -> piton::Result<()> {
    walk.pause("a break").await?;
    let mut before = None;
    loop {
        let run = walk.status().await?;
        if !run.status.is_open() {
            return Ok(());
        }
        // Two reads of a paused run show the same step.
        if run.status == RunStatus::Paused {
            match before.replace(run.step_no) {
                None => {}
                Some(before) if before == run.step_no => break,
                Some(before) => bail!("a paused run has gone from {before:?} to {:?}", run.step_no),
            }
        }
        tokio::time::sleep(Duration::from_millis(2)).await;
    }
    ensure!(walk.resume().await?, "a paused run cannot be resumed");
    Ok(())
}

/// Sends all updates, and compares their answers with those of the programs before, which are in a file.
async fn answer(client: &Client, folder: &Path) -> piton::Result<()> {
    let path = folder.join("answers.txt");
    let adder = start(client, adder(), "adder").await?;
    let known = std::fs::read_to_string(&path).unwrap_or_default();
    let known: Vec<u64> = known.lines().map(str::parse).collect::<Result<_, _>>()?;
    for number in 0..UPDATES {
        let answer = adder.update(Add(number + 1)).id(format!("add-{number}")).await?;
        let sum = (1..=number + 1).sum::<u64>();
        ensure!(answer == sum, "update {number} was answered with {answer}");
        match known.get(number as usize) {
            Some(known) => ensure!(*known == answer, "update {number} came to {known} before"),
            None => append(&path, answer)?,
        }
    }
    let sum = adder.result().await?;
    ensure!(sum == (1..=UPDATES).sum::<u64>(), "the updates have come to {sum}");
    Ok(())
}

fn append(path: &Path, answer: u64) -> std::io::Result<()> {
    use std::io::Write as _;
    let mut file = std::fs::OpenOptions::new().create(true).append(true).open(path)?;
    // At once, so a line of a killed process is whole.
    file.write_all(format!("{answer}\n").as_bytes())
}
