//! How often a step of W1 asks for memory: client, worker, starts and ends of runs included, the
//! server not. Unlike times, the counts are the same on a busy machine.

use std::alloc::System as SystemAllocator;

use anyhow::Result;
use stats_alloc::{INSTRUMENTED_SYSTEM, Region, StatsAlloc};

use crate::database::{Databases, StoreKind};
use crate::system::{System, flow};

// Parts of the program, which has no library, with what is of no use here.
#[allow(dead_code)]
#[path = "../src/database.rs"]
mod database;
#[allow(dead_code, unused_imports)]
#[path = "../src/latency.rs"]
mod latency;
#[allow(dead_code)]
#[path = "../src/processor.rs"]
mod processor;
#[allow(dead_code)]
#[path = "../src/system.rs"]
mod system;
#[allow(dead_code)]
#[path = "../src/workflows.rs"]
mod workflows;

#[global_allocator]
static ALLOCATOR: &StatsAlloc<SystemAllocator> = &INSTRUMENTED_SYSTEM;

/// How many runs are under way at a time.
const WINDOWS: [usize; 3] = [64, 1_024, 4_096];

/// Steps per run.
const STEPS: u32 = 10;

#[tokio::main]
async fn main() -> Result<()> {
    // `cargo bench` says so; `cargo test --benches` only wants to see it work.
    let runs = if std::env::args().any(|argument| argument == "--bench") { 5_000 } else { 20 };
    let mut databases = Databases::new(&std::env::temp_dir());
    for kind in [StoreKind::Sqlite, StoreKind::Postgres] {
        let configure = |worker: piton::prelude::Worker| worker.max_activities(10_000);
        let system = System::start(&mut databases, kind, configure).await?;
        // Buffers and caches have their size after some work.
        flow(&system.client, runs / 10 + 1, WINDOWS[0], STEPS).await?;
        for window in WINDOWS {
            let region = Region::new(ALLOCATOR);
            flow(&system.client, runs, window, STEPS).await?;
            let asked = region.change();
            let of_step = |count: usize| count as f64 / (runs as f64 * f64::from(STEPS));
            println!(
                "{}, {window} at a time: {:.1} allocations, {:.1} reallocations, {:.0} bytes",
                kind.as_str(),
                of_step(asked.allocations),
                of_step(asked.reallocations),
                of_step(asked.bytes_allocated),
            );
        }
        system.stop().await?;
    }
    Ok(())
}
