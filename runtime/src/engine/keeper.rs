//! The thread that renews leases even if the program's own threads are busy or blocked.
//!
//! A process has one such thread, however many workers it has, because a connection belongs to the runtime that
//! opened it, and all workers of a store renew their leases through one connection. The thread has its own runtime,
//! lives as long as the process, and only waits for a database or a clock. It also ends overdue shutdowns.

use std::future::pending;
use std::sync::OnceLock;

use tokio::runtime::{Builder, Handle};
use tracing::warn;

use crate::error::with_causes;

static KEEPER: OnceLock<Option<Handle>> = OnceLock::new();

/// The runtime of that thread, started on first use; `None` if the system cannot create a thread.
pub(crate) fn runtime() -> Option<&'static Handle> {
    KEEPER.get_or_init(|| begin().inspect_err(refused).ok()).as_ref()
}

fn begin() -> std::io::Result<Handle> {
    let runtime = Builder::new_current_thread().enable_all().build()?;
    let handle = runtime.handle().clone();
    let thread = std::thread::Builder::new().name("piton-leases".to_owned());
    thread.spawn(move || runtime.block_on(pending::<()>()))?;
    Ok(handle)
}

fn refused(error: &std::io::Error) {
    warn!(
        error = %with_causes(error),
        "leases are renewed by the program's own threads, and lost if those are blocked"
    );
}
