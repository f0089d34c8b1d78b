//! Where the writing connection is, whoever has the turn.
//!
//! A script under way is kept here and not in the task that waits for it. While nobody polls that task,
//! because the threads of its runtime are blocked, it would keep the connection to itself, in the middle of
//! a transaction perhaps, with the file's lock. So somebody else can bring the script to its end and set
//! the connection [aside](Desk::set_aside); a transaction that is open then is taken back, and whoever
//! had it open is told so with an error that may be tried again.
//!
//! What this must not know: whose turn it is.

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
    /// The transaction of the present turn was taken back.
    is_taken_back: bool,
    /// What the last script came to, until it is fetched.
    answer: Option<Answer>,
    /// Who waits for that, or for the connection.
    waiter: Option<Waker>,
    /// Counts the scripts that were begun and the answers that were fetched.
    moves: u64,
}

enum Place {
    Here(SqliteConnection),
    /// Carries out a script, which may end the transaction.
    Busy(Flight, bool),
    /// Lent or set aside.
    Away,
    /// Its thread has died, or it was closed.
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

    /// Begins a turn: what the one before has asked for is brought to its end, and nobody asks for the
    /// answer any more.
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

    /// Takes the connection with its open transaction. It is to be [put back](Self::put_back).
    ///
    /// # Errors
    /// As [`Desk::carry_out`].
    pub(super) async fn take(&self) -> Result<SqliteConnection, Error> {
        self.when_here(State::lend).await
    }

    /// Takes the connection for good.
    pub(super) async fn close(&self) -> Option<SqliteConnection> {
        self.settle().await;
        let mut state = self.lock();
        let connection = state.take();
        state.place = Place::Gone;
        connection
    }

    /// Puts a connection here.
    pub(super) fn put_back(&self, connection: SqliteConnection) {
        let mut state = self.lock();
        state.place = Place::Here(connection);
        state.waiter.take().into_iter().for_each(Waker::wake);
    }

    /// Carries out a script. One that `ends` the transaction does so only if all of it is carried out. It is
    /// carried out whether this is polled any more or not, up to its first answers at least.
    ///
    /// # Errors
    /// Also if the transaction of this turn was taken back.
    pub(super) async fn carry_out(&self, script: Script, ends: bool) -> Answer {
        self.when_here(|state| state.begin(script, ends)).await?;
        poll_fn(|cx| self.lock().poll_answer(cx)).await
    }

    /// Ends the transaction without effect, if one is open.
    pub(super) async fn roll_back(&self) {
        let is_open = |state: &mut State| {
            state.is_taken_back = false;
            state.is_open
        };
        if self.when_here(is_open).await {
            let mut script = Script::new();
            script.sql("ROLLBACK");
            // It fails if the database has rolled back by itself, which is as good.
            let _ = self.carry_out(script, true).await;
            self.set_open(false);
        }
    }

    /// Waits until no script is under way and the connection is here, or gone.
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

    /// How often something was begun or fetched, if the connection does nothing now. Brings a script to
    /// its end that nobody polls.
    pub(super) fn rests_since(&self) -> Option<u64> {
        let mut state = self.lock();
        // Whoever waits is still the one to be woken.
        let waiter = state.waiter.clone().unwrap_or_else(|| Waker::noop().clone());
        state.drive(&mut Context::from_waker(&waiter));
        if state.answer.is_some() {
            waiter.wake();
        }
        matches!(state.place, Place::Here(_)).then_some(state.moves)
    }

    /// Takes the connection from whoever has the turn and does nothing with it. Their open transaction is
    /// taken back.
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
        // Whole after every operation, so a panic elsewhere does not spoil it.
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

    /// For whoever has the turn.
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
            // The database rolls back with the connection.
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

/// The connection, set aside. It is put back when this is dropped.
#[derive(Debug)]
pub(super) struct Aside<'a> {
    desk: &'a Desk,
    connection: Option<SqliteConnection>,
}

impl Aside<'_> {
    /// Carries out a script that is a transaction of its own.
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
