//! Processor time of a piece of work, which other load changes less than its duration.

use std::time::Duration;

use anyhow::{Context as _, Result};
use rustix::param::clock_ticks_per_second;

/// Processor time, in user and system mode together.
#[derive(Clone, Copy, Debug, Default)]
pub(crate) struct ProcessorTime {
    /// Of this process: client, worker, and SQLite.
    pub(crate) own: Duration,
    /// Of the database's server and all its processes.
    pub(crate) server: Duration,
}

/// Where the fields that matter stand in `/proc/<pid>/stat`, counted from the one after the name.
const PARENT: usize = 1;
const OWN: [usize; 2] = [11, 12];
const ENDED_CHILDREN: [usize; 2] = [13, 14];

impl ProcessorTime {
    /// What has been used up to now by this process and by the server with this first process.
    pub(crate) fn used(server: Option<u32>) -> Result<Self> {
        let own = ticks(&stat("self")?, &OWN);
        let server = server.map_or(Ok(0), server_ticks)?;
        let time = |ticks| Duration::from_secs_f64(ticks as f64 / clock_ticks_per_second() as f64);
        Ok(Self { own: time(own), server: time(server) })
    }

    /// What has been used since `earlier`, divided among `count` pieces of work.
    pub(crate) fn each(self, earlier: Self, count: u64) -> Self {
        let share = |now: Duration, then| now.saturating_sub(then).div_f64(count.max(1) as f64);
        Self { own: share(self.own, earlier.own), server: share(self.server, earlier.server) }
    }

    /// What so many of these pieces of work cost.
    pub(crate) fn times(self, count: f64) -> Self {
        Self { own: self.own.mul_f64(count), server: self.server.mul_f64(count) }
    }

    /// The two apart, in words.
    pub(crate) fn shares(self) -> String {
        let micros = |time: Duration| time.as_secs_f64() * 1e6;
        let (server, own) = (micros(self.server), micros(self.own));
        format!("{server:.1} µs in the server, {own:.1} µs in this process")
    }

    /// The two together.
    pub(crate) fn total(self) -> Duration {
        self.own + self.server
    }
}

/// Postgres has no threads, and its processes are children of the first one.
fn server_ticks(server: u32) -> Result<u64> {
    let first = stat(&server.to_string())?;
    let mut sum = ticks(&first, &OWN) + ticks(&first, &ENDED_CHILDREN);
    for entry in std::fs::read_dir("/proc")? {
        let name = entry?.file_name();
        let Some(pid) = name.to_str().filter(|name| name.parse::<u32>().is_ok()) else { continue };
        // A process may end between two lines.
        let Ok(fields) = stat(pid) else { continue };
        if fields.get(PARENT).is_some_and(|parent| *parent == u64::from(server)) {
            sum += ticks(&fields, &OWN);
        }
    }
    Ok(sum)
}

fn ticks(fields: &[u64], which: &[usize]) -> u64 {
    which.iter().filter_map(|field| fields.get(*field)).sum()
}

/// The fields after the name, which may hold anything; what is not a number is 0.
fn stat(pid: &str) -> Result<Vec<u64>> {
    let text = std::fs::read_to_string(format!("/proc/{pid}/stat"))?;
    let (_, fields) = text.rsplit_once(')').context("/proc has an unknown form")?;
    Ok(fields.split_whitespace().map(|field| field.parse().unwrap_or(0)).collect())
}
