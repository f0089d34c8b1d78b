//! Checks whether a server responds at all, for calls that wait.
//!
//! A statement may take long, but a server that is gone responds to nobody. While calls wait, a new connection is
//! therefore opened now and then, one for all of them.

use std::io::ErrorKind;
use std::sync::atomic::{AtomicBool, Ordering};
use std::time::Duration;

use sqlx::postgres::{PgConnectOptions, PgConnection};
use sqlx::{ConnectOptions as _, Connection as _, Error};
use tokio::sync::Mutex;
use tokio::time::{Instant, timeout};

/// How long a call waits before the check.
const SOON: Duration = Duration::from_secs(3);

/// How long a server may take to accept a connection and respond on it. Together with [`SOON`], less than the 5 s
/// after which a program gets an error.
const ANSWER_TIMEOUT: Duration = Duration::from_millis(1_500);

/// How long the result for a server that does not respond is reused.
const GONE_FOR: Duration = Duration::from_secs(1);

/// See the [module documentation](self).
#[derive(Debug)]
pub(super) struct Probe {
    connect: PgConnectOptions,
    /// The last result. The task that checks holds the lock, and the others wait for it.
    found: Mutex<Option<Found>>,
    /// Whether the server did not respond at the last check.
    is_suspect: AtomicBool,
}

#[derive(Clone, Copy, Debug)]
struct Found {
    at: Instant,
    /// Why the server counts as gone.
    gone: Option<ErrorKind>,
}

impl Probe {
    pub(super) fn new(connect: PgConnectOptions) -> Self {
        Self { connect, found: Mutex::default(), is_suspect: AtomicBool::new(false) }
    }

    /// How long a call waits before the check. While the server does not respond, calls have already waited for a
    /// place in a batch.
    pub(super) fn patience(&self) -> Duration {
        if self.is_suspect.load(Ordering::Relaxed) { Duration::ZERO } else { SOON }
    }

    /// Checks the server, unless another task has just done so. Returns why it counts as gone.
    pub(super) async fn gone(&self) -> Option<Error> {
        let mut found = self.found.lock().await;
        let holds = |found: &Found| {
            let holds_for = if found.gone.is_some() { GONE_FOR } else { SOON };
            found.at.elapsed() < holds_for
        };
        let gone = match found.filter(holds) {
            Some(found) => found.gone,
            None => {
                let gone = match timeout(ANSWER_TIMEOUT, ask(&self.connect)).await {
                    Ok(Err(Error::Io(error))) => Some(error.kind()),
                    // A server that refuses the connection responds.
                    Ok(_) => None,
                    Err(_) => Some(ErrorKind::TimedOut),
                };
                *found = Some(Found { at: Instant::now(), gone });
                self.is_suspect.store(gone.is_some(), Ordering::Relaxed);
                gone
            }
        };
        gone.map(
            |kind| if kind == ErrorKind::TimedOut { silence() } else { Error::Io(kind.into()) },
        )
    }
}

/// The error of waiting for a server that does not respond.
pub(super) fn silence() -> Error {
    Error::Io(std::io::Error::new(ErrorKind::TimedOut, "the server does not answer"))
}

async fn ask(connect: &PgConnectOptions) -> Result<(), Error> {
    let mut connection: PgConnection = connect.connect().await?;
    connection.ping().await?;
    connection.close().await
}
