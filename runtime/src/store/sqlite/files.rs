//! Whether the files of the database are still the ones that were opened.
//!
//! A file that is moved, deleted or replaced stays open, and what is written to it then is nowhere to be
//! found by those who open the path later; so it is with the log beside it, and with the index of the log,
//! by which processes agree on what is in it. The operating system tells files apart by number, and says of
//! a path which one is there. That is asked after each script and before anybody hears of what it found: also
//! after one that only reads, since it may find what an earlier try has written to a file that is gone.

use std::io::{Error, ErrorKind};
use std::path::{Path, PathBuf};
use std::sync::{Mutex, PoisonError};

/// The files of one database.
#[derive(Debug)]
pub(super) struct Files {
    database: (PathBuf, Id),
    /// The log and its index.
    beside: [PathBuf; 2],
    /// Which they are: `None` until they are looked at for the first time. SQLite makes them for its first
    /// connection and keeps them until its last.
    found: Mutex<Option<[Id; 2]>>,
}

/// What tells a file from all others of the machine while it is open.
type Id = (u64, u64);

impl Files {
    /// Those of the database that has been opened at `path`.
    pub(super) fn of(path: &Path) -> Result<Self, Error> {
        // A link that leads elsewhere later is noticed; SQLite has the others where the file itself is.
        let (place, file) = (std::path::absolute(path)?, std::fs::canonicalize(path)?);
        let id = id(&place)?;
        let beside = ["-wal", "-shm"].map(|end| {
            let mut name = file.clone().into_os_string();
            name.push(end);
            name.into()
        });
        Ok(Self { database: (place, id), beside, found: Mutex::default() })
    }

    /// To be called where SQLite may have made the files beside the database again.
    pub(super) fn forget_beside(&self) {
        *self.found.lock().unwrap_or_else(PoisonError::into_inner) = None;
    }

    /// What has come of writing or reading, if the files are still there.
    ///
    /// # Errors
    /// One of them is not. Once it has been put back, all is well again.
    pub(super) fn kept<T>(&self, came_of: Result<T, sqlx::Error>) -> Result<T, sqlx::Error> {
        self.check().and(came_of)
    }

    fn check(&self) -> Result<(), sqlx::Error> {
        let (path, expected) = &self.database;
        same(path, *expected)?;
        // Whole after every operation, so a panic elsewhere does not spoil it.
        let mut found = self.found.lock().unwrap_or_else(PoisonError::into_inner);
        if let Some(expected) = *found {
            return self.beside.iter().zip(expected).try_for_each(|(path, id)| same(path, id));
        }
        let [log, index] = &self.beside;
        *found = Some([id(log).map_err(|_| gone(log))?, id(index).map_err(|_| gone(index))?]);
        Ok(())
    }
}

fn same(path: &Path, expected: Id) -> Result<(), sqlx::Error> {
    match id(path) {
        Ok(found) if found == expected => Ok(()),
        // The system may be out of something for a moment.
        Err(error) if error.kind() != ErrorKind::NotFound => Err(sqlx::Error::Io(error)),
        _ => Err(gone(path)),
    }
}

fn gone(path: &Path) -> sqlx::Error {
    let reason = format!(
        "{} was moved, deleted or replaced while it was open, so what is written is not kept there: put it \
         back, or start the program again on the database that is to be used",
        path.display()
    );
    sqlx::Error::Io(Error::new(ErrorKind::NotFound, reason))
}

#[cfg(unix)]
fn id(path: &Path) -> Result<Id, Error> {
    use std::os::unix::fs::MetadataExt as _;
    let found = std::fs::metadata(path)?;
    Ok((found.dev(), found.ino()))
}

/// Where an open file can be neither deleted nor moved, it is enough that it is there.
#[cfg(not(unix))]
fn id(path: &Path) -> Result<Id, Error> {
    std::fs::metadata(path).map(|_| (0, 0))
}
