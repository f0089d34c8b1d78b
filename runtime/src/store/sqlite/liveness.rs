//! File locks that show which workers are alive.
//!
//! Each worker holds a lock on its own file. The operating system releases it when the process ends, however that
//! happens. A process that can take the lock knows that the worker is dead, long before the lease expires. A stopped
//! process keeps its lock; its lease expires instead. If files cannot be locked, or the file is missing, no worker
//! counts as dead.

use std::collections::HashMap;
use std::fs::{File, TryLockError};
use std::path::PathBuf;
use std::sync::{Mutex, MutexGuard, PoisonError};

use crate::model::WorkerId;

/// The locks of the workers registered through one store.
#[derive(Debug)]
pub(super) struct Liveness {
    /// The directory of the files; `None` for a database in memory, which ends with its process.
    directory: Option<PathBuf>,
    held: Mutex<HashMap<WorkerId, File>>,
}

impl Liveness {
    pub(super) fn new(directory: Option<PathBuf>) -> Self {
        Self { directory, held: Mutex::default() }
    }

    /// Takes the lock of a worker whose row is not visible yet. If this fails, only the lease shows its death.
    pub(super) fn hold(&self, worker: WorkerId) {
        let Some(path) = self.path(worker) else {
            return;
        };
        let locked = path
            .parent()
            .map_or(Ok(()), std::fs::create_dir_all)
            .and_then(|()| File::create(&path))
            .and_then(|file| file.try_lock().map(|()| file).map_err(std::io::Error::from));
        match locked {
            Ok(file) => {
                self.held().insert(worker, file);
            }
            Err(error) => {
                // An unlocked file would look like that of a dead worker.
                let _ = std::fs::remove_file(&path);
                tracing::debug!(path = %path.display(), %error, "the worker's file cannot be locked");
            }
        }
    }

    /// Releases a worker's lock, if it is held here, and removes its file.
    pub(super) fn let_go(&self, worker: WorkerId) {
        // In this order no process finds the file unlocked.
        if let Some(path) = self.path(worker) {
            let _ = std::fs::remove_file(path);
        }
        self.held().remove(&worker);
    }

    /// Releases all locks, as the death of the process would.
    pub(super) fn let_go_of_all(&self) {
        self.held().clear();
    }

    /// Whether the worker is known to be dead.
    pub(super) fn is_dead(&self, worker: WorkerId) -> bool {
        if self.held().contains_key(&worker) {
            return false;
        }
        let Some(file) = self.path(worker).and_then(|path| File::open(path).ok()) else {
            return false;
        };
        match file.try_lock() {
            Ok(()) => true,
            Err(TryLockError::WouldBlock | TryLockError::Error(_)) => false,
        }
    }

    fn path(&self, worker: WorkerId) -> Option<PathBuf> {
        Some(self.directory.as_ref()?.join(format!("{}.lock", worker.0)))
    }

    fn held(&self) -> MutexGuard<'_, HashMap<WorkerId, File>> {
        // The map is consistent after every operation, so a poisoned lock is usable.
        self.held.lock().unwrap_or_else(PoisonError::into_inner)
    }
}
