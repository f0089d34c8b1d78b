//! Whether the files of the database are still the ones that were opened.
//!
//! A file that is moved, deleted or replaced stays open. Writes to it are lost to all who open the path later. The
//! same applies to the log beside it, and to the log's index, by which processes share the log. The operating
//! system identifies files by number, and reports the number of the file at a path. This is checked after each
//! script, before its result is returned. Scripts that only read are checked as well, since they may find the write
//! of an earlier try in a file that is gone.

use std::io::{Error, ErrorKind};
use std::path::{Path, PathBuf};
use std::sync::{Mutex, PoisonError};

/// The files of one database.
#[derive(Debug)]
pub(super) struct Files {
    database: (PathBuf, Id),
    /// The log and its index.
    beside: [PathBuf; 2],
    /// Their identities; `None` until the first check. SQLite creates these files for its first connection and
    /// keeps them until its last.
    found: Mutex<Option<[Id; 2]>>,
}

/// Identifies an open file on this machine.
type Id = (u64, u64);

impl Files {
    /// The files of the database at `path`.
    pub(super) fn of(path: &Path) -> Result<Self, Error> {
        // A link that changes its target is noticed; SQLite puts the other files beside the target.
        let (place, file) = (std::path::absolute(path)?, std::fs::canonicalize(path)?);
        let id = id(&place)?;
        let beside = ["-wal", "-shm"].map(|end| {
            let mut name = file.clone().into_os_string();
            name.push(end);
            name.into()
        });
        Ok(Self { database: (place, id), beside, found: Mutex::default() })
    }

    /// Called when SQLite may have created the files beside the database again.
    pub(super) fn forget_beside(&self) {
        *self.found.lock().unwrap_or_else(PoisonError::into_inner) = None;
    }

    /// Returns `result` if the files are still there.
    ///
    /// # Errors
    /// One of them is not. If it is put back, later calls succeed.
    pub(super) fn kept<T>(&self, came_of: Result<T, sqlx::Error>) -> Result<T, sqlx::Error> {
        self.check().and(came_of)
    }

    fn check(&self) -> Result<(), sqlx::Error> {
        let (path, expected) = &self.database;
        same(path, *expected)?;
        // The value is consistent after every operation, so a poisoned lock is usable.
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
        // The system may be short of a resource for a moment.
        Err(error) if error.kind() != ErrorKind::NotFound => Err(sqlx::Error::Io(error)),
        _ => Err(gone(path)),
    }
}

fn gone(path: &Path) -> sqlx::Error {
    let reason = format!(
        "{} was moved, deleted or replaced while it was open, so writes do not reach it any more: put it \
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

/// On systems where an open file can be neither deleted nor moved, its existence is enough.
#[cfg(not(unix))]
fn id(path: &Path) -> Result<Id, Error> {
    std::fs::metadata(path).map(|_| (0, 0))
}
