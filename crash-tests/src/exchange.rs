//! An exchange of notes between runs, and the checks of its books at the end.

use std::ops::Range;
use std::time::Duration;

use piton::error::LookupError;
use piton::filter::Filter;
use piton::machine::{SignalValue as _, Workflow, WorkflowCall};
use piton::prelude::*;
use piton::sqlx::{self, AnyConnection, AssertSqlSafe, Connection as _};
use piton::store::{ArrivalKind, DeadLetter, DeadLetterFilter, DeadLetterReason, RedeliverOutcome};

use crate::environment::number;
use crate::notes::{
    Note, Pace, Taken, insist, insister, leave, leaver, receiver, send, send_in_haste, sender,
    take, take_in_haste,
};
use crate::program::Program;
use crate::workload::Proceed;

/// The points at which a worker is killed.
pub const WORKER_POINTS: [&str; 4] =
    ["before_commit", "after_commit", "before_relay", "after_relay"];

/// The point at which a client is killed.
pub const CLIENT_POINT: &str = "before_deliver";

/// The exchange for a kill at one point.
pub const SMALL: Exchange = Exchange { senders: 4, receivers: 3, leavers: 2, notes: 10 };

/// How often to check whether the outbox is empty.
const LOOK_INTERVAL: Duration = Duration::from_millis(20);

/// The time limit of the last round, and of each note: more than they need on a busy machine.
const PATIENCE: Duration = Duration::from_secs(60);
const PATIENCE_PER_NOTE: Duration = Duration::from_millis(5);

/// The number of dead letters that are redelivered at a time.
const REDELIVERED: usize = 4;

/// The participants.
#[derive(Clone, Copy, Debug)]
pub struct Exchange {
    /// The number of senders, one in four relaxed.
    pub senders: u64,
    /// The number of receivers of each sender, one in two relaxed.
    pub receivers: u64,
    /// The number of receivers with a separate sender that close before the sender does.
    pub leavers: u64,
    /// The number of notes from each sender to each receiver. A leaver gets as many, and as many more arrive too late.
    pub notes: u64,
}

impl Exchange {
    /// Of 10,000 messages and some for those who leave, or as `PITON_EXCHANGE_NOTES` says, which is the
    /// number of notes from each to each.
    pub fn whole() -> Self {
        let notes = number("PITON_EXCHANGE_NOTES", 25);
        Self { senders: 20, receivers: 20, leavers: 4, notes }
    }

    /// The program at `path`, which drives it on the database at `url`.
    pub fn program<'a>(&self, path: &'a str, url: &str) -> Program<'a> {
        let numbers = [self.senders, self.receivers, self.leavers, self.notes];
        let numbers = numbers.map(|number| number.to_string().into());
        Program { path, arguments: [url.into()].into_iter().chain(numbers).collect() }
    }

    /// The number of notes for the receivers that stay.
    pub fn notes(&self) -> u64 {
        self.senders * self.receivers * self.notes
    }

    /// The final number of runs.
    pub fn runs(&self) -> u64 {
        self.senders + self.receivers + 3 * self.leavers
    }

    /// Starts the missing runs, receivers first, and lets senders proceed.
    ///
    /// # Errors
    /// The database fails.
    pub async fn start(&self, client: &Client) -> piton::Result<()> {
        let count = self.senders * self.notes;
        for number in 0..self.receivers {
            match number % 2 {
                0 => drop(started(client, receiver(number), take(count)).await?),
                _ => drop(started(client, receiver(number), take_in_haste(count)).await?),
            }
        }
        for number in 0..self.leavers {
            // Another run may have its id by now.
            if client.find(leaver(number)).await?.is_none() {
                started(client, leaver(number), leave(number, self.notes)).await?;
            }
            let insist = insist(number, self.notes);
            proceed(started(client, insister(number), insist).await?).await?;
        }
        for number in 0..self.senders {
            match pace(number) {
                Some(pace) => {
                    let send = send(number, self.receivers, self.notes, pace);
                    proceed(started(client, sender(number), send).await?).await?;
                }
                None => {
                    let send = send_in_haste(number, self.receivers, self.notes);
                    proceed(started(client, sender(number), send).await?).await?;
                }
            }
        }
        Ok(())
    }

    /// Waits for the end of all runs, redelivers the notes that came too late for leavers, and checks that each note
    /// was taken once, in order, by its receiver. Can be interrupted and repeated.
    ///
    /// # Errors
    /// The books do not balance, the exchange does not end in time, or the database fails.
    pub async fn finish(&self, client: &Client, url: &str) -> piton::Result<()> {
        let patience = PATIENCE + PATIENCE_PER_NOTE * u32::try_from(self.notes())?;
        if let Ok(finished) = tokio::time::timeout(patience, self.settle(client, url)).await {
            return finished;
        }
        let mut runs = client.list_runs(Filter::all()).limit(u32::MAX).await?.runs;
        runs.retain(|run| run.closed_at.is_none());
        bail!("the exchange does not come to its end: {runs:?}");
    }

    async fn settle(&self, client: &Client, url: &str) -> piton::Result<()> {
        for number in 0..self.senders {
            match pace(number) {
                Some(_) => client.run::<send>(sender(number)).await?.result().await?,
                None => client.run::<send_in_haste>(sender(number)).await?.result().await?,
            }
        }
        for number in 0..self.receivers {
            let id = receiver(number);
            let taken = match number % 2 {
                0 => client.run::<take>(id.as_str()).await?.result().await?,
                _ => client.run::<take_in_haste>(id.as_str()).await?.result().await?,
            };
            self.check_received(number, &taken).map_err(|error| error.context(id))?;
        }
        for number in 0..self.leavers {
            client.run::<insist>(insister(number)).await?.result().await?;
        }
        sqlx::any::install_default_drivers();
        let mut books = AnyConnection::connect(url).await?;
        while rows(&mut books, "piton_outbox").await? > 0 {
            tokio::time::sleep(LOOK_INTERVAL).await;
        }
        for number in 0..self.leavers {
            let returned = self.return_to(client, number).await;
            returned.map_err(|error| error.context(leaver(number)))?;
        }
        for table in ["piton_outbox", "piton_dead_letters", "piton_inbox"] {
            let left = rows(&mut books, table).await?;
            ensure!(left == 0, "{left} rows are left in {table}");
        }
        let sql = "SELECT workflow_id, inbox_count FROM piton_runs";
        let mut arrivals: Vec<(String, i64)> = sqlx::query_as(sql).fetch_all(&mut books).await?;
        arrivals.sort_unstable();
        let expected = self.arrivals();
        ensure!(arrivals == expected, "{arrivals:?} have arrived, not {expected:?}");
        books.close().await?;
        Ok(())
    }

    /// Delivers the late notes of a leaver to another run with the same id.
    async fn return_to(&self, client: &Client, number: u64) -> piton::Result<()> {
        let late = self.notes..2 * self.notes;
        let filter = DeadLetterFilter { workflow_id: Some(leaver(number)), run_id: None };
        match client.run::<leave>(leaver(number)).await {
            Ok(run) => {
                let taken = run.result().await?;
                ensure!(taken == of(number, number, 0..self.notes), "{taken:?} were taken");
                let letters = client.dead_letters(&filter, u32::MAX).await?;
                check_letters(&letters, number, late.clone())?;
                client.start(take(self.notes)).id(leaver(number)).await?;
            }
            // An earlier process has come further.
            Err(LookupError::OtherWorkflow { .. }) => {}
            Err(error) => return Err(error.into()),
        }
        let letters = client.dead_letters(&filter, u32::MAX).await?;
        let ids: Vec<_> = letters.iter().map(|letter| letter.id).collect();
        for ids in ids.chunks(REDELIVERED) {
            let both = tokio::try_join!(
                client.redeliver_dead_letters(ids),
                client.redeliver_dead_letters(ids)
            )?;
            for (id, (one, other)) in ids.iter().zip(both.0.into_iter().zip(both.1)) {
                let is_delivered = |it| matches!(it, RedeliverOutcome::Delivered { .. });
                let once = is_delivered(one) != is_delivered(other);
                ensure!(once, "letter {id}, asked for twice: {one:?} and {other:?}");
            }
        }
        let taken = client.run::<take>(leaver(number)).await?.result().await?;
        ensure!(taken == of(number, number, late), "{taken:?} were taken later");
        Ok(())
    }

    fn check_received(&self, to: u64, taken: &Taken) -> piton::Result<()> {
        let all = taken.len() as u64;
        ensure!(all == self.senders * self.notes, "{all} notes were taken");
        for from in 0..self.senders {
            let of_one: Taken = taken.iter().copied().filter(|note| note.0 == from).collect();
            ensure!(of_one == of(from, to, 0..self.notes), "{of_one:?} were taken of one sender");
        }
        Ok(())
    }

    /// The expected number of arrivals of each run, including signals of clients.
    fn arrivals(&self) -> Vec<(String, i64)> {
        let mut arrivals = Vec::new();
        arrivals.extend((0..self.senders).map(|number| (sender(number), 1)));
        let of_all = (self.senders * self.notes).cast_signed();
        arrivals.extend((0..self.receivers).map(|number| (receiver(number), of_all)));
        for number in 0..self.leavers {
            arrivals.push((insister(number), 2));
            arrivals.extend([(); 2].map(|()| (leaver(number), self.notes.cast_signed())));
        }
        arrivals.sort_unstable();
        arrivals
    }
}

/// The number of arrivals in this database so far.
///
/// # Errors
/// The database fails.
pub async fn arrived(books: &mut AnyConnection) -> Result<u64, sqlx::Error> {
    let sql = "SELECT cast(coalesce(sum(inbox_count), 0) AS BIGINT) FROM piton_runs";
    let count: i64 = sqlx::query_scalar(sql).fetch_one(books).await?;
    Ok(count.cast_unsigned())
}

/// The pace of a sender; `None` if it is relaxed.
fn pace(number: u64) -> Option<Pace> {
    match number % 4 {
        0 => Some(Pace::AtOnce),
        1 => Some(Pace::Naps),
        2 => Some(Pace::Works),
        _ => None,
    }
}

fn of(from: u64, to: u64, numbers: Range<u64>) -> Taken {
    numbers.map(|number| (from, to, number)).collect()
}

fn check_letters(letters: &[DeadLetter], leaver: u64, numbers: Range<u64>) -> piton::Result<()> {
    ensure!(letters.len() as u64 == numbers.end - numbers.start, "the letters are {letters:?}");
    for (letter, number) in letters.iter().zip(numbers) {
        let ArrivalKind::Signal { name, payload } = &letter.arrival else {
            bail!("the arrival is none of a signal: {letter:?}");
        };
        let expected = Note { from: leaver, to: leaver, number }.to_payload()?;
        ensure!(name == Note::NAME && *payload == expected, "not note {number}: {letter:?}");
        ensure!(letter.reason == DeadLetterReason::Closed, "for a reason of its own: {letter:?}");
    }
    Ok(())
}

async fn rows(books: &mut AnyConnection, table: &str) -> Result<i64, sqlx::Error> {
    let sql = AssertSqlSafe(format!("SELECT count(*) FROM {table}"));
    sqlx::query_scalar(sql).fetch_one(books).await
}

/// The run with this workflow id, which is started if there is none.
async fn started<W: Workflow>(
    client: &Client,
    id: String,
    call: WorkflowCall<W>,
) -> piton::Result<RunHandle<W>> {
    match client.run::<W>(id.as_str()).await {
        Err(LookupError::Unknown(_)) => {
            Ok(client.start(call).id(id).on_conflict(OnConflict::UseExisting).await?)
        }
        found => Ok(found?),
    }
}

async fn proceed<W: Workflow>(run: RunHandle<W>) -> piton::Result<()> {
    match run.signal(Proceed { by: "the test".into() }).dedup_key("proceed").await {
        Ok(_) | Err(SignalError::Closed { .. }) => Ok(()),
        Err(error) => Err(error.into()),
    }
}
