//! Whether there is a server at all, for calls that wait for its answer.
//!
//! A statement may take its time; a server that has stopped answers nobody. So while a call waits, a new
//! connection is tried now and then, one for all who wait.

use std::io::ErrorKind;
use std::sync::atomic::{AtomicBool, Ordering};
use std::time::Duration;

use sqlx::postgres::{PgConnectOptions, PgConnection};
use sqlx::{ConnectOptions as _, Connection as _, Error};
use tokio::sync::Mutex;
use tokio::time::{Instant, timeout};

/// How long a call waits before it is asked.
const SOON: Duration = Duration::from_secs(3);

/// How long a server may take to take a connection and answer on it. With [`SOON`], less than the 5 s after
/// which a program is to hear of it.
const ANSWER_TIMEOUT: Duration = Duration::from_millis(1_500);

/// For how long what was found of a server that does not answer holds for others.
const GONE_FOR: Duration = Duration::from_secs(1);

/// See the [module documentation](self).
#[derive(Debug)]
pub(super) struct Probe {
    connect: PgConnectOptions,
    /// What was found last. Whoever asks has the lock, and the others wait for that.
    found: Mutex<Option<Found>>,
    /// Whether the server did not answer when it was last asked.
    is_suspect: AtomicBool,
}

#[derive(Clone, Copy, Debug)]
struct Found {
    at: Instant,
    /// Why the server is taken to be gone.
    gone: Option<ErrorKind>,
}

impl Probe {
    pub(super) fn new(connect: PgConnectOptions) -> Self {
        Self { connect, found: Mutex::default(), is_suspect: AtomicBool::new(false) }
    }

    /// How long a call waits before it asks. Whoever comes while the server does not answer has waited for
    /// others before, in whose batch there was no place.
    pub(super) fn patience(&self) -> Duration {
        if self.is_suspect.load(Ordering::Relaxed) { Duration::ZERO } else { SOON }
    }

    /// Asks the server, unless somebody else has just now. Returns why it is taken to be gone.
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
                    // Whoever refuses is there.
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

/// The end of a wait for a server that does not answer.
pub(super) fn silence() -> Error {
    Error::Io(std::io::Error::new(ErrorKind::TimedOut, "the server does not answer"))
}

async fn ask(connect: &PgConnectOptions) -> Result<(), Error> {
    let mut connection: PgConnection = connect.connect().await?;
    connection.ping().await?;
    connection.close().await
}
