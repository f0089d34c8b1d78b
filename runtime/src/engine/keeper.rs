//! The thread that renews leases even if the program's own threads are busy or blocked.
//!
//! A process has one, however many workers it has. A connection belongs to the runtime that has made it, and all
//! workers of a store renew their leases through one connection. The thread has a runtime of its own, lives as long
//! as the process, and only waits for a database or a clock: it ends overdue shutdowns as well.

use std::future::pending;
use std::sync::OnceLock;

use tokio::runtime::{Builder, Handle};
use tracing::warn;

use crate::error::with_causes;

static KEEPER: OnceLock<Option<Handle>> = OnceLock::new();

/// The runtime of that thread, which begins now unless it has begun before; `None` if the system has no
/// thread to give.
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
