//! Runs that send notes to each other.

use std::time::Duration;

use piton::prelude::*;
use serde::{Deserialize, Serialize};

use crate::workload::Proceed;

/// One message.
#[derive(Debug, Signal, Serialize, Deserialize)]
pub struct Note {
    /// The number of its sender.
    pub from: u64,
    /// The number of the receiver that it is for.
    pub to: u64,
    /// Its number, from 0 for each receiver.
    pub number: u64,
}

/// Says that the receiver has left.
#[derive(Debug, Signal, Serialize, Deserialize)]
pub struct Left;

/// Notes by sender, receiver and number, in the order in which they were taken.
pub type Taken = Vec<(u64, u64, u64)>;

/// The action of a sender before each round of notes, one to each receiver.
#[derive(Clone, Copy, Debug, Serialize, Deserialize)]
pub enum Pace {
    /// Nothing: all its notes are sent by one step, which ends it.
    AtOnce,
    /// Sleeps.
    Naps,
    /// Calls an activity.
    Works,
}

/// The workflow id of a sender.
pub fn sender(number: u64) -> String {
    format!("sender-{number}")
}

/// The workflow id of a receiver.
pub fn receiver(number: u64) -> String {
    format!("receiver-{number}")
}

/// The workflow id of a sender that continues after its receiver has left.
pub fn insister(number: u64) -> String {
    format!("insister-{number}")
}

/// The workflow id of a receiver that leaves.
pub fn leaver(number: u64) -> String {
    format!("leaver-{number}")
}

/// Takes this many notes.
#[workflow]
pub async fn take(cx: &Context, count: u64) -> Taken {
    let mut taken = Vec::new();
    while (taken.len() as u64) < count {
        let note = cx.signal::<Note>().await;
        taken.push((note.from, note.to, note.number));
    }
    taken
}

/// The same, in a relaxed run.
#[workflow(durability = "relaxed", max_steps_ahead = 16)]
pub async fn take_in_haste(count: u64) -> Taken {
    take(count).await
}

/// After the signal, sends each receiver this many notes. Ends with the step that sends the last.
#[workflow]
pub async fn send(cx: &Context, from: u64, receivers: u64, notes: u64, pace: Pace) {
    cx.signal::<Proceed>().await;
    for number in 0..notes {
        match pace {
            Pace::AtOnce => {}
            Pace::Naps => cx.sleep(Duration::from_millis(number % 7)).await,
            Pace::Works => work().await,
        }
        for to in 0..receivers {
            cx.signal_run(receiver(to), Note { from, to, number });
        }
    }
}

/// The same with an activity before each round, in a relaxed run.
#[workflow(durability = "relaxed", max_steps_ahead = 16)]
pub async fn send_in_haste(from: u64, receivers: u64, notes: u64) {
    send(from, receivers, notes, Pace::Works).await;
}

/// Takes this many notes, and reports that with the step that ends it.
#[workflow]
pub async fn leave(cx: &Context, number: u64, notes: u64) -> Taken {
    let taken = take(notes).await;
    cx.signal_run(insister(number), Left);
    taken
}

/// After the signal, sends the leaver this many notes, and as many after it has left.
#[workflow]
pub async fn insist(cx: &Context, from: u64, notes: u64) {
    cx.signal::<Proceed>().await;
    for number in 0..notes {
        cx.signal_run(leaver(from), Note { from, to: from, number });
    }
    cx.signal::<Left>().await;
    for number in notes..2 * notes {
        work().await;
        cx.signal_run(leaver(from), Note { from, to: from, number });
    }
}

/// Does nothing.
#[activity]
pub async fn work() {}
