//! The time that the disk needs to make a write durable.

use std::io::{Seek as _, SeekFrom, Write as _};
use std::path::Path;
use std::time::{Duration, Instant};

use anyhow::Result;

use crate::latency::Latencies;

/// A block as Postgres writes it.
const BLOCK: usize = 8192;

/// The file that is cycled through, as a database cycles through its log.
const BLOCKS: u64 = 2048;

/// Writes single blocks to a file in `directory`, each followed by `fdatasync`.
pub(crate) fn fdatasync(directory: &Path, duration: Duration) -> Result<Latencies> {
    // A file with a name, like a database's: a nameless one is slower to flush on some file systems.
    let mut file = tempfile::NamedTempFile::new_in(directory)?;
    let block = super::noise(BLOCK);
    for _ in 0..BLOCKS {
        file.write_all(&block)?;
    }
    file.as_file().sync_all()?;
    let begin = Instant::now();
    let mut times = Vec::new();
    while begin.elapsed() < duration {
        if (times.len() as u64).is_multiple_of(BLOCKS) {
            file.seek(SeekFrom::Start(0))?;
        }
        let started = Instant::now();
        file.write_all(&block)?;
        file.as_file().sync_data()?;
        times.push(started.elapsed());
    }
    Ok(times.into_iter().collect())
}
