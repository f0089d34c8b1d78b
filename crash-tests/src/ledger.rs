//! The attempts of every activity call, as the activities themselves have seen them.

use std::collections::BTreeMap;
use std::fs::{File, OpenOptions};
use std::io::{self, Write};
use std::path::Path;

/// The file to which attempts are appended.
#[derive(Debug)]
pub struct Ledger(File);

impl Ledger {
    /// Opens the ledger of the program whose data is in `folder`.
    ///
    /// # Errors
    /// The file cannot be opened.
    pub fn open(folder: &Path) -> io::Result<Self> {
        let file = OpenOptions::new().create(true).append(true).open(path(folder))?;
        Ok(Self(file))
    }

    /// Notes one event of an attempt. One write per line, so lines of a killed process are whole.
    ///
    /// # Errors
    /// The file cannot be written.
    pub fn note(&self, event: Event, key: &str, attempt: u32) -> io::Result<()> {
        let line = format!("{} {attempt} {key}\n", event.word());
        (&self.0).write_all(line.as_bytes())
    }
}

/// What can be noted of an attempt.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Event {
    /// The attempt has begun.
    Began,
    /// The attempt is about to return an error.
    Failed,
    /// The attempt is about to return its value.
    Returned,
}

impl Event {
    const ALL: [Self; 3] = [Self::Began, Self::Failed, Self::Returned];

    fn word(self) -> &'static str {
        match self {
            Self::Began => "began",
            Self::Failed => "failed",
            Self::Returned => "returned",
        }
    }
}

/// The attempts of one call, in the order in which they were noted.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Call {
    /// The numbers of the attempts that began.
    pub began: Vec<u32>,
    /// The numbers of the attempts that ended with an error.
    pub failed: Vec<u32>,
    /// The numbers of the attempts that ended with a value.
    pub returned: Vec<u32>,
}

impl Call {
    /// The same in the order of the attempts. A process that stands still between what it has decided and
    /// the line that says so writes the line when others have gone on.
    pub fn in_order(mut self) -> Self {
        self.began.sort_unstable();
        self
    }

    /// Checks that the call came to an end and that each attempt is accounted for after so many
    /// crashes; returns how many attempts they interrupted.
    ///
    /// # Panics
    /// If it does not add up.
    pub fn check(&self, key: &str, crashes: usize) -> usize {
        // Attempts are numbered in the order they are made. A number may be missing where a crash
        // came between the commit and the attempt's first line, and is never given twice.
        assert!(self.began.is_sorted_by(|a, b| a < b), "{key} after {crashes} crashes: {self:?}");
        let last = self.began.last().copied().unwrap_or_default();
        assert!(
            self.returned.contains(&last),
            "{key}: the last attempt is the one that counts: {self:?}"
        );
        let interrupted = last as usize - self.failed.len() - 1;
        assert!(interrupted <= crashes, "{key} after {crashes} crashes: {self:?}");
        interrupted
    }
}

/// Reads the ledger: the calls by their idempotency key.
///
/// # Errors
/// The file cannot be read, or holds a line that nobody writes.
pub fn read(folder: &Path) -> io::Result<BTreeMap<String, Call>> {
    let mut calls = BTreeMap::<String, Call>::new();
    for line in std::fs::read_to_string(path(folder))?.lines() {
        let malformed = || io::Error::other(format!("not a line of a ledger: `{line}`"));
        let mut words = line.splitn(3, ' ');
        let (Some(word), Some(attempt), Some(key)) = (words.next(), words.next(), words.next())
        else {
            return Err(malformed());
        };
        let event = Event::ALL.into_iter().find(|event| event.word() == word);
        let attempt = attempt.parse().map_err(|_| malformed())?;
        let call = calls.entry(key.to_owned()).or_default();
        match event.ok_or_else(malformed)? {
            Event::Began => call.began.push(attempt),
            Event::Failed => call.failed.push(attempt),
            Event::Returned => call.returned.push(attempt),
        }
    }
    Ok(calls)
}

fn path(folder: &Path) -> std::path::PathBuf {
    folder.join("ledger.txt")
}
