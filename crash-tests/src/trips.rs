//! Trips that are booked as a whole or not at all, by a program that is killed.
//!
//! The desk is a file to which every booking and every cancellation is appended. A trip ends in one of three ways: it
//! is booked, its last part is sold out, or it is cancelled during the booking.

use std::collections::{BTreeMap, BTreeSet};
use std::fs::{File, OpenOptions};
use std::io::{self, Write as _};
use std::path::{Path, PathBuf};

use piton::model::RunStatus;
use piton::prelude::*;

/// The number of concurrent trips.
pub const TRIPS: u64 = 9;

/// The parts of a trip, in the order in which they are booked.
const PARTS: [&str; 3] = ["flight", "hotel", "car"];

/// The expected end of a trip.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Fate {
    /// All of it is booked.
    Booked,
    /// There is no car.
    SoldOut,
    /// It is cancelled, if the request comes in time.
    CalledOff,
}

impl Fate {
    /// The fate of this trip.
    pub fn of(number: u64) -> Self {
        [Self::Booked, Self::SoldOut, Self::CalledOff][number as usize % 3]
    }
}

/// The record of bookings.
#[derive(Debug)]
pub struct Desk(File);

impl Desk {
    /// Opens the desk of the program whose data is in `folder`.
    ///
    /// # Errors
    /// The file cannot be opened.
    pub fn open(folder: &Path) -> io::Result<Self> {
        OpenOptions::new().create(true).append(true).open(path(folder)).map(Self)
    }

    /// Appends a line by one write, so lines of a killed process are complete.
    fn note(&self, line: String) -> io::Result<()> {
        (&self.0).write_all(format!("{line}\n").as_bytes())
    }
}

fn path(folder: &Path) -> PathBuf {
    folder.join("desk.txt")
}

/// Books a part of a trip. Returns the booking, or `None` if it is sold out.
#[activity(retry(initial = "1ms", max_interval = "5ms"))]
pub async fn book(cx: &ActivityContext, number: u64, part: &str) -> piton::Result<Option<String>> {
    if part == "car" && Fate::of(number) == Fate::SoldOut {
        return Ok(None);
    }
    let booking = format!("{number}/{part}");
    cx.dependency::<Desk>().note(format!("booked {booking}"))?;
    Ok(Some(booking))
}

/// Cancels a booking, at the second attempt.
#[activity(retry(initial = "1ms", max_interval = "5ms"))]
pub async fn cancel_booking(cx: &ActivityContext, booking: &str) -> piton::Result<()> {
    ensure!(cx.info().attempt > 1, "the line is busy");
    cx.dependency::<Desk>().note(format!("cancelled {booking} by {}", cx.idempotency_key()))?;
    Ok(())
}

/// Books all of a trip, or nothing.
#[workflow]
pub async fn book_trip(cx: &Context, number: u64) -> piton::Result<u64> {
    for part in ["flight", "hotel", "car"] {
        let Some(booking) = cx.shield(book(number, part)).await? else {
            bail!("{part} is sold out");
        };
        cx.on_failure(cancel_booking(&booking));
        cx.sleep(std::time::Duration::from_millis(2)).or_cancelled().await?;
    }
    Ok(number)
}

/// Compares the results of the runs with the desk.
///
/// # Panics
/// If a failed trip has a booking that was not cancelled, or cancelled by two calls, or if a booked trip lacks a
/// booking.
pub fn check(folder: &Path) {
    let ends = std::fs::read_to_string(folder.join("results.txt")).expect("it finished");
    let ends: Vec<RunStatus> = ends
        .lines()
        .map(|word| RunStatus::parse(word).expect("the program has written it"))
        .collect();
    assert_eq!(ends.len(), TRIPS as usize);
    let desk = std::fs::read_to_string(path(folder)).expect("it was opened");
    let mut booked = BTreeSet::new();
    let mut cancelled: BTreeMap<&str, BTreeSet<&str>> = BTreeMap::new();
    for line in desk.lines() {
        match line.split(' ').collect::<Vec<_>>()[..] {
            ["booked", booking] => _ = booked.insert(booking),
            ["cancelled", booking, "by", call] => {
                _ = cancelled.entry(booking).or_default().insert(call)
            }
            _ => panic!("the desk has a line of another kind: {line}"),
        }
    }
    for (number, end) in (0..).zip(&ends) {
        let fate = Fate::of(number);
        match (fate, end) {
            (Fate::Booked | Fate::CalledOff, RunStatus::Completed)
            | (Fate::SoldOut, RunStatus::Failed)
            | (Fate::CalledOff, RunStatus::Cancelled) => {}
            _ => panic!("trip {number} is {end}, though it was to be {fate:?}"),
        }
        for part in PARTS {
            let booking = format!("{number}/{part}");
            let calls = cancelled.get(&*booking).map_or(0, BTreeSet::len);
            match (booked.contains(&*booking), end) {
                (is_booked, RunStatus::Completed) => {
                    assert!(is_booked && calls == 0, "trip {number} is booked without {part}");
                }
                (is_booked, _) => {
                    assert_eq!(
                        calls,
                        usize::from(is_booked),
                        "{booking} was cancelled so often: {desk}"
                    );
                }
            }
        }
    }
}
