//! A ledger of all attempts, written by the activities themselves.

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

    /// Records an event of an attempt of this process. Each line is one write, so lines of a killed process are
    /// complete.
    ///
    /// # Errors
    /// The file cannot be written.
    pub fn note(&self, event: Event, key: &str, attempt: u32) -> io::Result<()> {
        let line = format!("{} {attempt} {} {key}\n", event.word(), std::process::id());
        (&self.0).write_all(line.as_bytes())
    }
}

/// An event of an attempt.
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

/// The attempts of one call, in the order of their lines.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Call {
    /// The numbers of the attempts that began.
    pub began: Vec<u32>,
    /// The numbers of the attempts that ended with an error.
    pub failed: Vec<u32>,
    /// The numbers of the attempts that ended with a value.
    pub returned: Vec<u32>,
    /// The process of each attempt that began.
    pub process_ids: BTreeMap<u32, u32>,
}

impl Call {
    /// The same in the order of the attempts. A process that is stopped before it writes its line writes it after the
    /// lines of later attempts.
    pub fn in_order(mut self) -> Self {
        self.began.sort_unstable();
        self
    }

    /// Checks that the call has ended, and that each attempt has failed, has the outcome that counts, or was
    /// interrupted; returns the number of interrupted ones. `crashes` are the processes that were killed or lost their
    /// runs, each as often as that happened.
    ///
    /// # Panics
    /// If the attempts do not add up.
    pub fn check(&self, key: &str, crashes: &[u32]) -> usize {
        // The numbers of attempts increase, and are unique.
        assert!(self.began.is_sorted_by(|a, b| a < b), "{key} after {crashes:?}: {self:?}");
        let last = self.began.last().copied().unwrap_or_default();
        assert!(
            self.returned.contains(&last),
            "{key}: the last attempt is the one that counts: {self:?}"
        );
        let mut left = crashes.to_vec();
        for attempt in self.began.iter().filter(|it| **it != last && !self.failed.contains(it)) {
            let process_id = self.process_ids[attempt];
            let crash = left.iter().position(|it| *it == process_id);
            let crash = crash.unwrap_or_else(|| {
                panic!("{key}: attempt {attempt} was lost by no crash of {crashes:?}: {self:?}")
            });
            left.swap_remove(crash);
        }
        // A number may be missing where a crash came between the commit and the attempt's first line. It belongs to one
        // of the crashes that interrupted no other attempt.
        let missing = last as usize - self.began.len();
        assert!(missing <= left.len(), "{key} after {crashes:?}: {self:?}");
        missing + crashes.len() - left.len()
    }
}

/// Reads the ledger: the calls by their idempotency key.
///
/// # Errors
/// The file cannot be read, or has an invalid line.
pub fn read(folder: &Path) -> io::Result<BTreeMap<String, Call>> {
    let mut calls = BTreeMap::<String, Call>::new();
    for line in std::fs::read_to_string(path(folder))?.lines() {
        let malformed = || io::Error::other(format!("not a line of a ledger: `{line}`"));
        let words: Vec<&str> = line.splitn(4, ' ').collect();
        let &[word, attempt, process_id, key] = words.as_slice() else {
            return Err(malformed());
        };
        let event = Event::ALL.into_iter().find(|event| event.word() == word);
        let attempt = attempt.parse().map_err(|_| malformed())?;
        let process_id = process_id.parse().map_err(|_| malformed())?;
        let call = calls.entry(key.to_owned()).or_default();
        match event.ok_or_else(malformed)? {
            Event::Began => {
                call.began.push(attempt);
                call.process_ids.insert(attempt, process_id);
            }
            Event::Failed => call.failed.push(attempt),
            Event::Returned => call.returned.push(attempt),
        }
    }
    Ok(calls)
}

fn path(folder: &Path) -> std::path::PathBuf {
    folder.join("ledger.txt")
}

#[cfg(test)]
mod tests {
    use super::Call;

    /// Attempts 1 and 2 by process 7, the first of which has failed, and 3 by process 8.
    fn call() -> Call {
        Call {
            began: vec![1, 2, 3],
            failed: vec![1],
            returned: vec![3],
            process_ids: [(1, 7), (2, 7), (3, 8)].into(),
        }
    }

    #[test]
    fn what_was_lost_is_by_a_process_that_was_killed() {
        assert_eq!(call().check("key", &[5, 7]), 1);
    }

    #[test]
    #[should_panic(expected = "attempt 2 was lost by no crash of [5, 8]")]
    fn another_process_that_was_killed_explains_nothing() {
        call().check("key", &[5, 8]);
    }

    #[test]
    #[should_panic(expected = "key after [7]")]
    fn a_crash_explains_one_attempt_of_a_call() {
        let call = call();
        let missing = Call { began: vec![1, 2, 4], returned: vec![4], ..call };
        let process_ids = [(1, 7), (2, 7), (4, 8)].into();
        Call { process_ids, ..missing }.check("key", &[7]);
    }
}
