//! A gate at which activities of any process wait until a test opens it.

use std::io;
use std::path::{Path, PathBuf};
use std::time::Duration;

use piton::prelude::*;

use crate::ledger::{Event, Ledger};

/// How often an activity checks whether the gate is open.
const LOOK_INTERVAL: Duration = Duration::from_millis(5);

/// A file that exists once the gate is open.
#[derive(Clone, Debug)]
pub struct Gate(PathBuf);

impl Gate {
    /// The gate in `folder`.
    pub fn new(folder: &Path) -> Self {
        Self(folder.join("gate"))
    }

    /// Opens the gate permanently.
    ///
    /// # Errors
    /// The file cannot be written.
    pub fn open(&self) -> io::Result<()> {
        std::fs::write(&self.0, "")
    }

    pub(crate) async fn wait(&self) {
        while !self.0.exists() {
            tokio::time::sleep(LOOK_INTERVAL).await;
        }
    }
}

/// Waits at the gate, then returns the number.
#[activity(retry(initial = "1ms", max_interval = "5ms"))]
pub async fn pass(cx: &ActivityContext, number: u64) -> piton::Result<u64> {
    let ledger = cx.dependency::<Ledger>();
    let (key, attempt) = (cx.idempotency_key(), cx.info().attempt);
    ledger.note(Event::Began, &key, attempt)?;
    cx.dependency::<Gate>().wait().await;
    ledger.note(Event::Returned, &key, attempt)?;
    Ok(number)
}

/// Two activities with the gate in the first.
#[workflow]
pub async fn gated(number: u64) -> piton::Result<u64> {
    let first = pass(number).await?;
    let second = pass(number + 1).await?;
    Ok(first + second)
}
