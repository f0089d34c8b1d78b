//! The clocks of the machine: the wall clock for times and timers, and another one for leases.
//!
//! The wall clock can be set. Leases therefore use the time since the machine's start, which all of its processes
//! share and nobody can set: no lease ends early, or lasts too long, when the wall clock jumps. To be stored as a
//! time, and to be comparable after the next start of the machine, it is counted from the wall-clock time that the
//! first process of this start has seen. That origin is kept in a file beside the locks of the workers.
//!
//! If the system does not report its uptime, or the file cannot be written, leases use the wall clock.

use std::fs::{self, File};
use std::io::{Error, ErrorKind};
use std::path::Path;
use std::sync::atomic::{AtomicI64, Ordering};

use uuid::Uuid;

use crate::model::Timestamp;

/// A moment, by both clocks.
#[derive(Clone, Copy, Debug)]
pub(super) struct Moment {
    /// For stored times and due times.
    pub(super) time: Timestamp,
    /// For leases.
    pub(super) lease_time: Timestamp,
}

impl Moment {
    /// The wall-clock time, for stored times and due times.
    pub(super) fn as_micros(self) -> i64 {
        self.time.as_micros()
    }
}

/// The clock for leases.
#[derive(Debug)]
pub(super) struct LeaseClock {
    /// The wall-clock time of the machine's start, as the first process saw it.
    origin: i64,
    uptime: File,
    /// The last reading, in case none is possible.
    last: AtomicI64,
}

/// Identifies a start of the machine.
const BOOT_ID: &str = "/proc/sys/kernel/random/boot_id";

/// Seconds with two decimal places, followed by something else.
const UPTIME: &str = "/proc/uptime";

/// The prefix of the files with origins; the id of the start follows.
const PREFIX: &str = "boot-";

impl LeaseClock {
    /// The lease clock of the workers whose locks are in this directory.
    ///
    /// # Errors
    /// This machine has no such clock.
    pub(super) fn open(directory: &Path) -> Result<Self, Error> {
        let boot = fs::read_to_string(BOOT_ID)?;
        let path = directory.join(format!("{PREFIX}{}", boot.trim()));
        let uptime = File::open(UPTIME)?;
        let since = read_uptime(&uptime)?;
        let origin = match fs::read_to_string(&path) {
            Err(error) if error.kind() == ErrorKind::NotFound => {
                begin(directory, &path, Timestamp::now().as_micros() - since)?
            }
            origin => origin?,
        };
        let origin = origin.parse().map_err(|error| Error::new(ErrorKind::InvalidData, error))?;
        Ok(Self { origin, uptime, last: AtomicI64::new(since) })
    }

    pub(super) fn now(&self) -> Timestamp {
        let since = read_uptime(&self.uptime).unwrap_or_default();
        let since = self.last.fetch_max(since, Ordering::Relaxed).max(since);
        Timestamp(self.origin.saturating_add(since))
    }
}

/// Stores the origin of this start of the machine, and removes earlier ones. Returns the stored origin: of several
/// processes that begin at the same time, one writes its own.
fn begin(directory: &Path, path: &Path, origin: i64) -> Result<String, Error> {
    fs::create_dir_all(directory)?;
    let own = path.with_extension(Uuid::now_v7().simple().to_string());
    fs::write(&own, origin.to_string())?;
    let linked = fs::hard_link(&own, path);
    fs::remove_file(&own)?;
    match linked {
        Err(error) if error.kind() != ErrorKind::AlreadyExists => return Err(error),
        _ => {}
    }
    for entry in fs::read_dir(directory)?.flatten() {
        let name = entry.file_name();
        let is_origin = |name: &str| name.starts_with(PREFIX) && !name.contains('.');
        if name.to_str().is_some_and(is_origin) && entry.path() != path {
            // Another process may have been faster.
            let _ = fs::remove_file(entry.path());
        }
    }
    fs::read_to_string(path)
}

/// The machine's uptime in microseconds.
#[cfg(unix)]
fn read_uptime(uptime: &File) -> Result<i64, Error> {
    use std::os::unix::fs::FileExt as _;
    let mut text = [0; 64];
    let length = uptime.read_at(&mut text, 0)?;
    let text = std::str::from_utf8(&text[..length]).ok();
    let micros = text.and_then(|text| {
        let (seconds, rest) = text.split_once('.')?;
        let hundredths = rest.get(..2)?;
        Some(seconds.parse::<i64>().ok()? * 1_000_000 + hundredths.parse::<i64>().ok()? * 10_000)
    });
    micros
        .ok_or_else(|| Error::new(ErrorKind::InvalidData, "the time since the start is no number"))
}

#[cfg(not(unix))]
fn read_uptime(_: &File) -> Result<i64, Error> {
    Err(ErrorKind::Unsupported.into())
}

#[cfg(all(test, target_os = "linux"))]
mod tests {
    use super::*;

    const HOUR: i64 = 3_600_000_000;

    /// Whether it is too far ahead of the wall clock.
    fn is_ahead(clock: &LeaseClock, by: i64) -> bool {
        (clock.now().as_micros() - Timestamp::now().as_micros() - by).abs() < HOUR / 60
    }

    #[test]
    fn processes_of_one_start_agree_whatever_the_other_clock_says_by_now() {
        let folder = tempfile::tempdir().expect("a folder");
        let directory = folder.path().join("some.db.workers");
        let first = LeaseClock::open(&directory).expect("the system has it");
        assert!(is_ahead(&first, 0));
        let boot = fs::read_to_string(BOOT_ID).expect("the system has it");
        let path = directory.join(format!("{PREFIX}{}", boot.trim()));
        // As if the wall clock had been set back by an hour since.
        fs::write(&path, (first.origin + HOUR).to_string()).expect("it can be written");
        let next = LeaseClock::open(&directory).expect("the system has it");
        assert!(is_ahead(&next, HOUR) && is_ahead(&first, 0));
        assert!(next.now() <= next.now());
    }

    #[test]
    fn each_start_begins_anew() {
        let folder = tempfile::tempdir().expect("a folder");
        let of_another = folder.path().join("boot-00000000-0000-0000-0000-000000000000");
        fs::write(&of_another, "77").expect("it can be written");
        fs::write(folder.path().join("1.lock"), "").expect("it can be written");
        let clock = LeaseClock::open(folder.path()).expect("the system has it");
        assert!(is_ahead(&clock, 0));
        assert!(!of_another.exists() && folder.path().join("1.lock").exists());
        let files = fs::read_dir(folder.path()).expect("it is there").count();
        assert_eq!(files, 2, "the origin and the lock");
    }
}
