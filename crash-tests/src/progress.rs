//! Activities whose attempts outlive their workers: by the details of heartbeats, and by tokens.

use std::io;
use std::path::{Path, PathBuf};
use std::time::Duration;

use piton::prelude::*;

use crate::ledger::{Event, Ledger};

/// The name under which a climb leaves its token.
pub const TOP: &str = "top";

/// A folder in which activities leave tokens for the test.
#[derive(Clone, Debug)]
pub struct Drawer(PathBuf);

impl Drawer {
    /// The drawer in `folder`.
    pub fn new(folder: &Path) -> Self {
        Self(folder.to_owned())
    }

    /// Writes a token atomically.
    fn leave(&self, name: &str, token: ActivityToken) -> io::Result<()> {
        let (draft, place) = (self.0.join(format!("{name}.draft")), self.0.join(name));
        std::fs::write(&draft, token.to_string())?;
        std::fs::rename(draft, place)
    }

    /// The token with this name, if it exists.
    pub fn look(&self, name: &str) -> Option<ActivityToken> {
        std::fs::read_to_string(self.0.join(name)).ok()?.parse().ok()
    }
}

/// Sends heartbeats with its progress forever, and leaves its token in the drawer at `height`. The next attempt returns
/// the details that it gets.
#[activity(heartbeat = "3s", start_to_close = "10m")]
pub async fn climb(cx: &ActivityContext, height: u64) -> piton::Result<u64> {
    let ledger = cx.dependency::<Ledger>();
    ledger.note(Event::Began, &cx.idempotency_key(), cx.info().attempt)?;
    if cx.info().attempt > 1 {
        ledger.note(Event::Returned, &cx.idempotency_key(), cx.info().attempt)?;
        return Ok(cx.last_heartbeat().unwrap_or(0));
    }
    let drawer = cx.dependency::<Drawer>();
    let mut meters = 0;
    loop {
        meters += 1;
        cx.heartbeat(&meters)?;
        if meters == height {
            drawer.leave(TOP, cx.token())?;
        }
        tokio::time::sleep(Duration::from_millis(5)).await;
    }
}

/// Leaves its token in the drawer and returns.
#[activity]
pub async fn ask(cx: &ActivityContext, name: &str) -> Result<String, String> {
    let ledger = cx.dependency::<Ledger>();
    let noted = ledger.note(Event::Began, &cx.idempotency_key(), cx.info().attempt);
    noted.map_err(|error| error.to_string())?;
    let left = cx.dependency::<Drawer>().leave(name, cx.token());
    left.map_err(|error| error.to_string())?;
    cx.complete_later().await
}

/// One climb.
#[workflow]
pub async fn ascent(height: u64) -> piton::Result<u64> {
    Ok(climb(height).await?)
}

/// One question.
#[workflow]
pub async fn question(name: String) -> Result<String, String> {
    ask(&name).await.map_err(|error| error.to_string())
}
