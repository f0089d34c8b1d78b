//! The conformance suite on every store of this crate: one test for each case and store.

use std::path::Path;
use std::sync::Arc;

use libtest_mimic::{Arguments, Failed, Trial};
use piton::model::Timestamp;
use piton::store::conformance::{Case, StoreUnderTest, cases};
use piton::store::{Clock, ManualClock, MemoryStore, StoreOptions};

fn main() {
    let arguments = Arguments::from_args();
    let trials = cases().into_iter().flat_map(|case| [memory(case), sqlite(case)]).collect();
    libtest_mimic::run(&arguments, trials).exit();
}

fn memory(case: Case) -> Trial {
    Trial::test(format!("memory::{}", case.name()), move || {
        let clock = ManualClock::new(Timestamp::now());
        block_on(async {
            let store = MemoryStore::with_clock(Arc::clone(&clock));
            case.run(StoreUnderTest::new(store.clone(), store, clock)).await;
            Ok(())
        })
    })
}

/// A case on a new file.
fn sqlite(case: Case) -> Trial {
    Trial::test(format!("sqlite::{}", case.name()), move || {
        let directory = tempfile::tempdir()?;
        block_on(async {
            let store = open_sqlite(&directory.path().join("runs.db")).await?;
            case.run(store).await;
            Ok(())
        })
    })
}

async fn open_sqlite(path: &Path) -> Result<StoreUnderTest, Failed> {
    let clock = ManualClock::new(Timestamp::now());
    let options = StoreOptions::default().clock(Clock::Manual(Arc::clone(&clock)));
    let url = format!("sqlite:{}", path.display());
    let store = options.connect(&url).await?;
    let other = options.connect(&url).await?;
    Ok(StoreUnderTest::new(store, other, clock))
}

fn block_on(case: impl Future<Output = Result<(), Failed>>) -> Result<(), Failed> {
    tokio::runtime::Builder::new_multi_thread()
        .worker_threads(2)
        .enable_all()
        .build()?
        .block_on(case)
}
