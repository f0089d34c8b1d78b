//! The thread on which leases are kept, so that they are kept while the program's own threads are busy
//! or blocked.
//!
//! One for the process, however many workers it has: a connection is driven by the runtime that has made
//! it, and what the workers of one store renew their leases through is one connection. It lives as long
//! as the process, and does nothing else: whatever waits here waits for a database or a clock.

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
    warn!(error = %with_causes(error), "leases are renewed by the program's own threads, and lost if those are blocked");
}
