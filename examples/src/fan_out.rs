//! A mailing to many subscribers: a limited number of letters at a time, a few failures tolerated, the rest beside it.
//!
//! ```sh
//! cargo run -p piton-examples --bin fan_out -- --letters 10000
//! ```
//!
//! Kill it and run it again: the letters that were sent are not sent again.

use std::time::Duration;

use piton::Result;
use piton::prelude::*;
use serde::{Deserialize, Serialize};

/// What became of a mailing.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct Mailing {
    /// How many letters were sent.
    pub sent: u32,
    /// How many addresses were wrong.
    pub failed: u32,
    /// Where the archived copy lies; nothing if the archive was too slow.
    pub archived: Option<String>,
}

/// Why a letter was not sent.
#[derive(Clone, Debug, thiserror::Error, Serialize, Deserialize)]
pub enum LetterError {
    /// There is no such address.
    #[error("there is no subscriber {0}")]
    NoSuchAddress(u32),
}

impl Retryable for LetterError {
    fn is_retryable(&self) -> bool {
        false
    }
}

/// Sends one letter. The address of every thousandth subscriber is wrong.
#[activity(start_to_close = "10s", retry(initial = "100ms", max_attempts = 5))]
pub async fn send_letter(subscriber: u32) -> Result<(), LetterError> {
    tokio::time::sleep(Duration::from_millis(1)).await;
    match subscriber % 1_000 {
        999 => Err(LetterError::NoSuchAddress(subscriber)),
        _ => Ok(()),
    }
}

/// Puts a copy of the mailing away.
#[activity]
pub async fn archive(title: String) -> String {
    tokio::time::sleep(Duration::from_millis(5)).await;
    format!("archive/{title}")
}

/// Sends a letter to each of so many subscribers, and archives it meanwhile.
#[workflow]
pub async fn mailing(cx: &Context, title: String, subscribers: u32) -> Result<Mailing> {
    let copy = cx.spawn(archive(title));
    let tolerated = subscribers / 100 + 1;
    let letters = cx.map(0..subscribers, send_letter).concurrency(50).discard().tolerate(tolerated);
    let counts = letters.await?;
    let archived = cx.timeout(minutes(1), copy).await.ok();
    Ok(Mailing { sent: counts.succeeded, failed: counts.failed, archived })
}

/// Runs a mailing on this database to its end, or continues the running one.
///
/// # Errors
/// The database cannot be reached, or more than a hundredth of the addresses is wrong.
pub async fn run(url: &str, letters: u32) -> Result<Mailing> {
    let client = Client::connect(url).await?;
    let worker = Worker::new(&client).start().await?;
    let call = mailing("spring".to_owned(), letters);
    let run = client.start(call).id("spring").on_conflict(OnConflict::UseExisting).await?;
    let mailing = run.result().await?;
    worker.shutdown().await?;
    Ok(mailing)
}
