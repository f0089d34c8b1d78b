//! The conformance suite: cases that every store must pass.
//!
//! A case gets an empty store and a clock that it sets, so cases need no sleeps and run in parallel. It panics if
//! the store breaks the contract of [`Store`](super::Store). [`cases`] lists all cases by name; a test harness
//! creates a test for each:
//!
//! ```no_run
//! use piton::store::conformance::{StoreUnderTest, cases};
//! # async fn open_empty(_: &str) -> StoreUnderTest { unimplemented!() }
//! # async fn run_all() {
//! for case in cases() {
//!     case.run(open_empty(case.name()).await).await;
//! }
//! # }
//! ```

mod activities;
mod agreement;
mod answers;
mod attendance;
mod audit;
mod changing;
mod concurrency;
mod definitions;
mod details;
mod failed_calls;
mod finding;
mod fixture;
mod history;
mod items;
mod lifecycle;
mod long_values;
mod messages;
mod model;
mod neighbors;
mod news;
mod partitions;
mod pausing;
mod promises;
mod promises_ahead;
mod promises_checked;
mod queue_model;
mod queues;
mod retention;
mod runs;
mod schedules;
mod visibility;
mod workers;

use std::future::Future;
use std::pin::Pin;

pub use fixture::StoreUnderTest;

/// A requirement for every store.
#[derive(Clone, Copy, Debug)]
pub struct Case {
    name: &'static str,
    run: fn(StoreUnderTest) -> Pin<Box<dyn Future<Output = ()> + Send>>,
}

impl Case {
    /// The requirement, as `group::sentence_in_words`.
    pub fn name(&self) -> &'static str {
        self.name
    }

    /// Checks the requirement on an empty store. Needs a tokio runtime.
    ///
    /// # Panics
    /// If the store does not meet it.
    pub async fn run(&self, store: StoreUnderTest) {
        (self.run)(store).await;
    }
}

/// All cases: those of each subject, and those about several subjects.
pub fn cases() -> Vec<Case> {
    let subjects =
        [runs::groups(), workers::groups(), activities::groups(), messages::groups()].concat();
    let others = [
        visibility::CASES,
        finding::CASES,
        changing::CASES,
        pausing::CASES,
        retention::CASES,
        agreement::CASES,
        definitions::CASES,
        details::CASES,
        history::CASES,
        lifecycle::CASES,
        attendance::CASES,
        audit::CASES,
        schedules::CASES,
        answers::CASES,
        long_values::CASES,
        neighbors::CASES,
        news::CASES,
        promises::CASES,
        items::CASES,
        promises_ahead::CASES,
        promises_checked::CASES,
        queues::CASES,
        partitions::CASES,
        failed_calls::CASES,
        concurrency::CASES,
        model::CASES,
        queue_model::CASES,
    ];
    subjects.into_iter().chain(others).flatten().copied().collect()
}

/// Lists the cases of a module. The compiler reports a case that is missing here as dead code.
macro_rules! list_cases {
    ($group:literal: $($name:ident),* $(,)?) => {
        pub(super) const CASES: &[$crate::store::conformance::Case] = &[$($crate::store::conformance::Case {
            name: concat!($group, "::", stringify!($name)),
            run: |store| Box::pin($name(store)),
        }),*];
    };
}
use list_cases;
