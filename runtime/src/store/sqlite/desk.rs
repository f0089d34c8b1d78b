//! The place of the writing connection, shared by all callers.
//!
//! A running script is kept here and not in the task that waits for it. If nobody polls that task, because the
//! threads of its runtime are blocked, it would otherwise keep the connection, possibly in the middle of a
//! transaction that holds the file's lock. Instead, another caller can complete the script and set the connection
//! [aside](Desk::set_aside). A transaction that is open then is rolled back, and its caller gets a retryable error.
//!
//! This must not know whose turn it is.

use std::future::poll_fn;
use std::io::ErrorKind;
use std::pin::Pin;
use std::sync::{Mutex, MutexGuard, PoisonError};
use std::task::{Context, Poll, Waker, ready};

use sqlx::Error;
use sqlx::sqlite::SqliteConnection;

use super::script::{Rows, Script};

/// A script under way, with the connection.
type Flight = Pin<Box<dyn Future<Output = (SqliteConnection, Answer)> + Send>>;

type Answer = Result<Rows, Error>;

/// See the [module documentation](self).
#[derive(Debug)]
pub(super) struct Desk(Mutex<State>);

struct State {
    place: Place,
    /// A transaction may be open.
    is_open: bool,
    /// The transaction of the present turn was rolled back.
    is_taken_back: bool,
    /// The result of the last script, until it is fetched.
    answer: Option<Answer>,
    /// The waiter for the result, or for the connection.
    waiter: Option<Waker>,
    /// Counts scripts begun and results fetched.
    moves: u64,
}

enum Place {
    Here(SqliteConnection),
    /// Runs a script, which may end the transaction.
    Busy(Flight, bool),
    /// The connection is borrowed or set aside.
    Away,
    /// The connection's thread has died, or it was closed.
    Gone,
}

impl Desk {
    pub(super) fn new(connection: SqliteConnection) -> Self {
        Self(Mutex::new(State {
            place: Place::Here(connection),
            is_open: false,
            is_taken_back: false,
            answer: None,
            waiter: None,
            moves: 0,
        }))
    }

    /// Whether a transaction may be open.
    pub(super) fn is_open(&self) -> bool {
        self.lock().is_open
    }

    pub(super) fn set_open(&self, is_open: bool) {
        self.lock().is_open = is_open;
    }

    /// Begins a turn: completes the script of the previous turn and drops its result.
    pub(super) async fn settle(&self) {
        let forget = |state: &mut State| {
            state.answer = None;
            state.is_taken_back = false;
        };
        self.when_here(forget).await;
    }

    /// Whether there is no connection.
    pub(super) fn is_gone(&self) -> bool {
        matches!(self.lock().place, Place::Gone)
    }

    /// Takes the connection with its open transaction. The caller must [put it back](Self::put_back).
    ///
    /// # Errors
    /// Those of [`Desk::carry_out`].
    pub(super) async fn take(&self) -> Result<SqliteConnection, Error> {
        self.when_here(State::lend).await
    }

    /// Takes the connection permanently.
    pub(super) async fn close(&self) -> Option<SqliteConnection> {
        self.settle().await;
        let mut state = self.lock();
        let connection = state.take();
        state.place = Place::Gone;
        connection
    }

    /// Puts a connection back.
    pub(super) fn put_back(&self, connection: SqliteConnection) {
        let mut state = self.lock();
        state.place = Place::Here(connection);
        state.waiter.take().into_iter().for_each(Waker::wake);
    }

    /// Runs a script. One that `ends` the transaction does so only if all of it succeeds. Even if the future is not
    /// polled any more, the script runs at least up to its first results.
    ///
    /// # Errors
    /// Also if the transaction of this turn was rolled back.
    pub(super) async fn carry_out(&self, script: Script, ends: bool) -> Answer {
        self.when_here(|state| state.begin(script, ends)).await?;
        poll_fn(|cx| self.lock().poll_answer(cx)).await
    }

    /// Rolls back the transaction, if one is open.
    pub(super) async fn roll_back(&self) {
        let is_open = |state: &mut State| {
            state.is_taken_back = false;
            state.is_open
        };
        if self.when_here(is_open).await {
            let mut script = Script::new();
            script.sql("ROLLBACK");
            // Fails if the database has already rolled back, which is fine.
            let _ = self.carry_out(script, true).await;
            self.set_open(false);
        }
    }

    /// Waits until no script is running and the connection is here, or gone.
    async fn when_here<T>(&self, then: impl FnOnce(&mut State) -> T) -> T {
        let mut then = Some(then);
        poll_fn(|cx| {
            let mut state = self.lock();
            ready!(state.poll_here(cx));
            let then = then.take().expect("a future that is ready is not polled again");
            Poll::Ready(then(&mut state))
        })
        .await
    }

    /// The count of scripts and fetches, if the connection is idle now. Completes a script that nobody polls.
    pub(super) fn rests_since(&self) -> Option<u64> {
        let mut state = self.lock();
        // The original waiter stays the one to be woken.
        let waiter = state.waiter.clone().unwrap_or_else(|| Waker::noop().clone());
        state.drive(&mut Context::from_waker(&waiter));
        if state.answer.is_some() {
            waiter.wake();
        }
        matches!(state.place, Place::Here(_)).then_some(state.moves)
    }

    /// Takes the connection from the present turn if that is idle. Its open transaction is rolled back.
    pub(super) fn set_aside(&self) -> Option<Aside<'_>> {
        let mut state = self.lock();
        let connection = state.take()?;
        if state.is_open {
            state.is_taken_back = true;
            state.answer = state.answer.take().map(|_| Err(taken_back()));
        }
        Some(Aside { desk: self, connection: Some(connection) })
    }

    fn lock(&self) -> MutexGuard<'_, State> {
        // The value is consistent after every operation, so a poisoned lock is usable.
        self.0.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

impl State {
    fn take(&mut self) -> Option<SqliteConnection> {
        match std::mem::replace(&mut self.place, Place::Away) {
            Place::Here(connection) => Some(connection),
            other => {
                self.place = other;
                None
            }
        }
    }

    /// The error for the present turn.
    fn lend(&mut self) -> Result<SqliteConnection, Error> {
        match self.is_taken_back {
            true => Err(taken_back()),
            false => self.take().ok_or(Error::PoolClosed),
        }
    }

    fn begin(&mut self, script: Script, ends: bool) -> Result<(), Error> {
        let mut connection = self.lend()?;
        let flight = async move {
            let answer = script.run(&mut connection).await;
            (connection, answer)
        };
        self.place = Place::Busy(Box::pin(flight), ends);
        self.moves += 1;
        Ok(())
    }

    fn drive(&mut self, cx: &mut Context<'_>) {
        let Place::Busy(flight, ends) = &mut self.place else { return };
        let Poll::Ready((connection, answer)) = flight.as_mut().poll(cx) else { return };
        if let Err(Error::WorkerCrashed) = answer {
            // Dropping the connection rolls the database back.
            self.place = Place::Gone;
            self.is_open = false;
        } else {
            self.is_open &= !(*ends && answer.is_ok());
            self.place = Place::Here(connection);
        }
        self.answer = Some(answer);
    }

    fn poll_here(&mut self, cx: &mut Context<'_>) -> Poll<()> {
        self.drive(cx);
        match self.place {
            Place::Here(_) | Place::Gone => Poll::Ready(()),
            Place::Busy(..) | Place::Away => {
                self.waiter = Some(cx.waker().clone());
                Poll::Pending
            }
        }
    }

    fn poll_answer(&mut self, cx: &mut Context<'_>) -> Poll<Answer> {
        self.drive(cx);
        match self.answer.take() {
            Some(answer) => {
                self.moves += 1;
                Poll::Ready(answer)
            }
            None => {
                self.waiter = Some(cx.waker().clone());
                Poll::Pending
            }
        }
    }
}

impl std::fmt::Debug for State {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_struct("State").field("is_open", &self.is_open).finish_non_exhaustive()
    }
}

fn taken_back() -> Error {
    Error::Io(std::io::Error::new(
        ErrorKind::TimedOut,
        "the transaction stood still for so long that it was taken back",
    ))
}

/// The connection, set aside until this is dropped.
#[derive(Debug)]
pub(super) struct Aside<'a> {
    desk: &'a Desk,
    connection: Option<SqliteConnection>,
}

impl Aside<'_> {
    /// Runs a script as its own transaction.
    pub(super) async fn run(mut self, script: Script) -> Answer {
        let connection = self.connection.as_mut().expect("only drop takes it");
        if self.desk.is_open() {
            let mut roll_back = Script::new();
            roll_back.sql("ROLLBACK");
            // As above.
            let _ = roll_back.run(connection).await;
            self.desk.set_open(false);
        }
        script.run(connection).await
    }
}

impl Drop for Aside<'_> {
    fn drop(&mut self) {
        self.connection.take().into_iter().for_each(|connection| self.desk.put_back(connection));
    }
}
