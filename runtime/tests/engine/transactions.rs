//! Activities in transactions whose commits are uncertain. `tests/transactions/` has the tests on real databases.

use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};
use std::time::Duration;

use piton::error::StoreError;
use piton::prelude::*;
use piton::store::memory::{Hook, Notebook};

use crate::activities::Lab;
use crate::rig::{Rig, cut_off};

/// Loses the response to the first commit of an activity, before or after its effect.
struct CutOff {
    happens: bool,
    is_over: AtomicBool,
}

impl CutOff {
    fn strike(&self, operation: &'static str, happens: bool) -> Result<(), StoreError> {
        let is_meant = operation == "commit_activity" && happens == self.happens;
        if is_meant && !self.is_over.swap(true, Ordering::SeqCst) {
            return Err(cut_off(operation));
        }
        Ok(())
    }
}

#[async_trait::async_trait]
impl Hook for CutOff {
    async fn before(&self, operation: &'static str) -> Result<(), StoreError> {
        self.strike(operation, false)
    }

    async fn after(&self, operation: &'static str) -> Result<(), StoreError> {
        self.strike(operation, true)
    }
}

#[activity(transaction)]
async fn note(cx: &ActivityContext, book: &mut Notebook, what: &str) -> Result<u32, String> {
    cx.dependency::<Lab>().begin(cx, what);
    book.write(what);
    Ok(7)
}

#[workflow]
async fn notes_something() -> Result<u32, String> {
    note("note").await.map_err(|error| error.to_string())
}

/// Makes a step every millisecond.
#[workflow]
async fn notes_while_it_ticks(cx: &Context) -> Result<u32, String> {
    let (noted, ()) = join!(note("note"), async {
        for _ in 0..500 {
            cx.sleep(Duration::from_millis(1)).await;
        }
    });
    noted.map_err(|error| error.to_string())
}

#[tokio::test(start_paused = true)]
async fn what_is_written_once_is_written_once() {
    for (happens, begun) in [(true, vec![1]), (false, vec![1, 2])] {
        for ticks in [false, true] {
            let rig = Rig::new();
            rig.store.set_hook(Arc::new(CutOff { happens, is_over: AtomicBool::new(false) }));
            let worker = rig.worker().start().await.unwrap();
            let result = match ticks {
                true => rig.client.start(notes_while_it_ticks()).await.unwrap().result().await,
                false => rig.client.start(notes_something()).await.unwrap().result().await,
            };
            assert_eq!(result.unwrap(), 7);
            assert_eq!(rig.store.notes(), ["note"], "happens: {happens}, ticks: {ticks}");
            assert_eq!(rig.lab.begun("note"), begun, "happens: {happens}, ticks: {ticks}");
            worker.shutdown().await.unwrap();
        }
    }
}

#[activity(transaction, retry(max_attempts = 1))]
async fn give_away(cx: &ActivityContext, book: &mut Notebook) -> Result<String, String> {
    book.write("given away");
    Ok(cx.token().to_string())
}

#[workflow]
async fn gives_away() -> String {
    match give_away().await {
        Ok(token) => token,
        Err(error) => error.to_string(),
    }
}

#[workflow]
async fn notes_far_away() -> Result<u32, String> {
    note("note").queue("far").await.map_err(|error| error.to_string())
}

/// Its writes are committed with those of the run, which another worker owns.
#[tokio::test(start_paused = true)]
async fn a_transaction_is_not_for_a_queue() {
    let rig = Rig::new();
    let worker = rig.worker().start().await.unwrap();
    assert_eq!(rig.client.start(notes_far_away()).await.unwrap().result().await.unwrap(), 7);
    assert_eq!(rig.store.notes(), ["note"]);
    worker.shutdown().await.unwrap();
}

#[workflow]
async fn notes_one_by_one(cx: &Context) -> Vec<bool> {
    let notes = cx.map(["a", "b", "c"], |what| note(what)).concurrency(1).await;
    notes.into_iter().map(|noted| noted.is_ok()).collect()
}

/// Each call begins when the one before has been committed.
#[tokio::test(start_paused = true)]
async fn transactions_of_a_map_take_turns() {
    let rig = Rig::new();
    let worker = rig.worker().start().await.unwrap();
    let run = rig.client.start(notes_one_by_one()).await.unwrap();
    let result = tokio::time::timeout(Duration::from_secs(1), run.result()).await;
    assert_eq!(result.expect("nothing holds it up").unwrap(), [true; 3]);
    assert_eq!(rig.store.notes(), ["a", "b", "c"]);
    worker.shutdown().await.unwrap();
}

/// Its outcome is committed with its writes, so nothing else may complete it.
#[tokio::test(start_paused = true)]
async fn a_transaction_has_no_token() {
    let rig = Rig::new();
    let worker = rig.worker().start().await.unwrap();
    let said = rig.client.start(gives_away()).await.unwrap().result().await.unwrap();
    assert!(said.contains("`give_away` has no token: it is a transaction"), "{said}");
    assert!(rig.store.notes().is_empty());
    worker.shutdown().await.unwrap();
}
