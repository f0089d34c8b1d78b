//! The one connection that writes.
//!
//! SQLite has one writer at a time. Queuing for it here, in order, costs less than competing for the file's lock.
//! Processes compete for that lock, with a busy timeout.
//!
//! Each connection has a thread. If the thread dies, the next turn opens the file again.

use std::pin::pin;
use std::sync::Arc;
use std::time::Duration;

use sqlx::sqlite::{SqliteConnectOptions, SqliteConnection};
use sqlx::{ConnectOptions as _, Connection as _, Error};
use tokio::sync::{Mutex, OwnedMutexGuard};
use tokio::time::sleep;

use super::desk::Desk;
use super::files::Files;
use super::script::{Rows, Script};

/// How to open the file again; `None` for a database in memory, which ends with its connection, and once the store
/// is closed. The turn belongs to the holder of the lock.
type Queue = Arc<Mutex<Option<SqliteConnectOptions>>>;

/// The queue for the writing connection.
#[derive(Clone, Debug)]
pub(super) struct Writer {
    queue: Queue,
    desk: Arc<Desk>,
    /// `None` for a database in memory.
    files: Option<Arc<Files>>,
}

/// A turn at the writing connection. Dropping it in the middle of a transaction rolls back.
pub(super) struct Turn {
    /// `None` once it has been dropped.
    guard: Option<OwnedMutexGuard<Option<SqliteConnectOptions>>>,
    desk: Arc<Desk>,
    files: Option<Arc<Files>>,
    /// The connection, while an activity has borrowed it.
    lent: Option<SqliteConnection>,
}

impl Writer {
    /// Queues callers for `connection`, which can be opened `again` if it belongs to `files`.
    pub(super) fn new(
        connection: SqliteConnection,
        again: Option<(SqliteConnectOptions, Files)>,
    ) -> Self {
        let (again, files) = again.unzip();
        let (queue, desk) = (Arc::new(Mutex::new(again)), Arc::new(Desk::new(connection)));
        Self { queue, desk, files: files.map(Arc::new) }
    }

    /// The result of a script on another connection, see [`Files::kept`].
    pub(super) fn read(&self, rows: Result<Rows, Error>) -> Result<Rows, Error> {
        kept(self.files.as_deref(), rows)
    }

    /// Waits for a turn.
    pub(super) async fn turn(&self) -> Turn {
        let guard = Some(Arc::clone(&self.queue).lock_owned().await);
        Turn { guard, desk: Arc::clone(&self.desk), files: self.files.clone(), lent: None }
    }

    /// Runs a script as its own transaction: in its turn or, if the present turn is idle for longer than `patience`,
    /// without one.
    pub(super) async fn run_in_time(
        &self,
        script: Script,
        patience: Duration,
    ) -> Result<Rows, Error> {
        let mut turn = pin!(self.turn());
        let mut rested_since = None;
        loop {
            tokio::select! {
                biased;
                mut turn = &mut turn => return turn.run(script).await,
                () = sleep(patience) => {}
            }
            let rests_since = self.desk.rests_since();
            if rests_since.is_some()
                && rests_since == rested_since
                && let Some(aside) = self.desk.set_aside()
            {
                return kept(self.files.as_deref(), aside.run(script).await);
            }
            rested_since = rests_since;
        }
    }

    /// Closes the connection; later turns fail with [`Error::PoolClosed`].
    pub(super) async fn close(&self) {
        let mut again = self.queue.lock().await;
        *again = None;
        let connection = self.desk.close().await;
        drop(again);
        if let Some(connection) = connection {
            // If this fails, nothing is lost: every commit was flushed.
            let _ = connection.close().await;
        }
    }
}

impl Turn {
    /// Runs a single statement as its own transaction.
    pub(super) async fn run(&mut self, script: Script) -> Result<Rows, Error> {
        self.ready().await?;
        kept(self.files.as_deref(), self.desk.carry_out(script, false).await)
    }

    /// Runs a script that begins a transaction.
    pub(super) async fn begin(&mut self, script: Script) -> Result<Rows, Error> {
        self.ready().await?;
        self.desk.set_open(true);
        // The result may depend on an earlier write to a file that is gone.
        kept(self.files.as_deref(), self.desk.carry_out(script, false).await)
    }

    /// Runs a script within the transaction.
    pub(super) async fn go_on(&mut self, script: Script) -> Result<Rows, Error> {
        self.give_back();
        self.desk.carry_out(script, false).await
    }

    /// Runs a script whose last statement commits.
    pub(super) async fn commit(mut self, script: Script) -> Result<Rows, Error> {
        self.give_back();
        kept(self.files.as_deref(), self.desk.carry_out(script, true).await)
    }

    /// Runs a script that begins a transaction and commits it.
    pub(super) async fn transact(self, script: Script) -> Result<Rows, Error> {
        self.ready().await?;
        self.desk.set_open(true);
        kept(self.files.as_deref(), self.desk.carry_out(script, true).await)
    }

    /// Lends the connection for statements within the open transaction, until the next script.
    pub(super) async fn lend(&mut self) -> Result<(), Error> {
        self.lent = Some(self.desk.take().await?);
        Ok(())
    }

    /// The borrowed connection.
    pub(super) fn connection(&mut self) -> &mut SqliteConnection {
        self.lent.as_mut().expect("it is lent before it is asked for")
    }

    /// Rolls the transaction back.
    pub(super) async fn roll_back(&mut self) {
        self.give_back();
        self.desk.roll_back().await;
    }

    /// Lends the connection outside of a transaction.
    async fn ready(&self) -> Result<(), Error> {
        self.desk.settle().await;
        self.desk.roll_back().await;
        if self.desk.is_gone() {
            let again = self.guard.as_ref().and_then(|again| again.as_ref());
            self.desk.put_back(again.ok_or(Error::PoolClosed)?.connect().await?);
            self.files.iter().for_each(|files| files.forget_beside());
        }
        Ok(())
    }

    fn give_back(&mut self) {
        self.lent.take().into_iter().for_each(|connection| self.desk.put_back(connection));
    }
}

/// A write is acknowledged only if the file is still there.
fn kept(files: Option<&Files>, rows: Result<Rows, Error>) -> Result<Rows, Error> {
    match files {
        Some(files) => files.kept(rows),
        None => rows,
    }
}

impl Drop for Turn {
    /// Rolls back at once if there is a runtime, so that the file's lock is released; otherwise the next turn rolls
    /// back.
    fn drop(&mut self) {
        self.give_back();
        let Some(guard) = self.guard.take().filter(|_| self.desk.is_open()) else {
            return;
        };
        if let Ok(runtime) = tokio::runtime::Handle::try_current() {
            let desk = Arc::clone(&self.desk);
            runtime.spawn(async move {
                desk.settle().await;
                desk.roll_back().await;
                drop(guard);
            });
        }
    }
}

#[cfg(test)]
mod tests {
    use futures_util::FutureExt as _;
    use sqlx::sqlite::SqliteJournalMode;

    use super::*;

    const PATIENCE: Duration = Duration::from_millis(5);

    fn sql(sql: &str) -> Script {
        let mut script = Script::new();
        script.sql(sql);
        script
    }

    async fn writer(directory: &tempfile::TempDir) -> Writer {
        let options = SqliteConnectOptions::new()
            .filename(directory.path().join("some.db"))
            .journal_mode(SqliteJournalMode::Wal)
            .create_if_missing(true);
        let connection = options.connect().await.expect("a new file");
        let files = Files::of(&directory.path().join("some.db")).expect("it is there");
        let writer = Writer::new(connection, Some((options, files)));
        writer.turn().await.run(sql("CREATE TABLE t (n)")).await.expect("it can be written");
        writer
    }

    async fn count(writer: &Writer) -> i64 {
        let mut rows = writer.turn().await.run(sql("SELECT count(*) FROM t")).await.expect("ok");
        rows.scalar(0).expect("a number")
    }

    #[tokio::test]
    async fn a_file_is_opened_again_and_what_was_not_committed_is_gone() {
        let directory = tempfile::tempdir().expect("a directory");
        let writer = writer(&directory).await;
        let mut turn = writer.turn().await;
        turn.begin(sql("BEGIN IMMEDIATE; INSERT INTO t VALUES (1)")).await.expect("as before");
        drop(turn.desk.close().await);
        drop(turn);
        assert_eq!(count(&writer).await, 0, "it is there again");
        writer.close().await;
        let closed = writer.turn().await.run(sql("SELECT 1")).await;
        assert!(matches!(closed, Err(Error::PoolClosed)));
    }

    #[tokio::test]
    async fn a_transaction_that_nobody_goes_on_with_is_taken_back() {
        let directory = tempfile::tempdir().expect("a directory");
        let writer = writer(&directory).await;
        let insert = || sql("INSERT INTO t VALUES (1)");
        let mut turn = writer.turn().await;
        let mut begins = Box::pin(turn.begin(sql("BEGIN IMMEDIATE; INSERT INTO t VALUES (7)")));
        // The connection's thread may have answered by then.
        let polled = (&mut begins).now_or_never();
        writer.run_in_time(insert(), PATIENCE).await.expect("nobody is in the way");
        if polled.is_none() {
            assert!(matches!(begins.await, Err(Error::Io(_))), "it is told so");
        } else {
            drop(begins);
        }
        let goes_on = turn.go_on(insert()).await;
        assert!(matches!(goes_on, Err(Error::Io(_))), "and again");
        assert!(turn.commit(sql("COMMIT")).await.is_err());
        assert_eq!(count(&writer).await, 1);
        let mut turn = writer.turn().await;
        turn.begin(sql("BEGIN IMMEDIATE; INSERT INTO t VALUES (8)")).await.expect("a new turn");
        writer.run_in_time(insert(), PATIENCE).await.expect("nobody is in the way");
        let commits = turn.commit(sql("COMMIT")).await;
        assert!(matches!(commits, Err(Error::Io(_))));
        assert_eq!(count(&writer).await, 2);
    }

    #[tokio::test]
    async fn what_is_carried_out_already_keeps_its_answer() {
        let directory = tempfile::tempdir().expect("a directory");
        let writer = writer(&directory).await;
        let insert = || sql("INSERT INTO t VALUES (1) RETURNING n");
        for whole in ["INSERT INTO t VALUES (5)", "BEGIN IMMEDIATE; INSERT INTO t VALUES (5)"] {
            let mut turn = writer.turn().await;
            let mut script = sql(whole);
            script.sql(" RETURNING n");
            let mut answer = if whole.starts_with("BEGIN") {
                script.sql("; COMMIT");
                turn.transact(script).boxed()
            } else {
                async move { turn.run(script).await }.boxed()
            };
            let polled = (&mut answer).now_or_never();
            writer.run_in_time(insert(), PATIENCE).await.expect("nobody is in the way");
            let answered = match polled {
                Some(answered) => answered,
                None => answer.await,
            };
            let mut rows = answered.expect("it is kept");
            let index = usize::from(whole.starts_with("BEGIN"));
            assert_eq!(rows.scalar::<i64>(index).expect("a number"), 5);
        }
        assert_eq!(count(&writer).await, 4);
    }

    #[tokio::test]
    async fn who_goes_on_in_time_is_let_alone() {
        let directory = tempfile::tempdir().expect("a directory");
        let writer = writer(&directory).await;
        let mut turn = writer.turn().await;
        turn.begin(sql("BEGIN IMMEDIATE")).await.expect("it can begin");
        let mut waits = Box::pin(writer.run_in_time(sql("INSERT INTO t VALUES (0)"), PATIENCE));
        let mut written = 0;
        while written < 20 {
            tokio::select! {
                biased;
                _ = &mut waits => panic!("it has not waited for its turn"),
                done = turn.go_on(sql("INSERT INTO t VALUES (1)")) => done.expect("it goes on"),
            };
            written += 1;
        }
        turn.commit(sql("COMMIT")).await.expect("it has gone on");
        waits.await.expect("it is its turn");
        assert_eq!(count(&writer).await, 21);
    }

    /// A borrowed connection cannot be taken away.
    #[tokio::test]
    async fn a_connection_that_is_lent_is_waited_for() {
        let directory = tempfile::tempdir().expect("a directory");
        let writer = writer(&directory).await;
        let mut turn = writer.turn().await;
        turn.begin(sql("BEGIN IMMEDIATE")).await.expect("it can begin");
        turn.lend().await.expect("it has begun");
        let mut waits = Box::pin(writer.run_in_time(sql("INSERT INTO t VALUES (0)"), PATIENCE));
        assert!(tokio::time::timeout(8 * PATIENCE, &mut waits).await.is_err());
        sqlx::query("INSERT INTO t VALUES (1)").execute(turn.connection()).await.expect("ok");
        turn.commit(sql("COMMIT")).await.expect("it has begun");
        waits.await.expect("it is its turn");
        assert_eq!(count(&writer).await, 2);
    }
}
