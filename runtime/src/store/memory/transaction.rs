//! Transactions of activities, which write notes and last over several calls of the store.

use std::any::Any;
use std::sync::Arc;

use async_trait::async_trait;

use super::{MemoryStore, Write};
use crate::error::StoreError;
use crate::store::{ActivityKey, ActivityTransaction, ArrivalKind, ArrivalOutcome, NewArrival};

/// The connection of an `#[activity(transaction)]`. Committed writes can be read from [`MemoryStore::notes`].
#[derive(Debug, Default)]
pub struct Notebook(Vec<String>);

impl Notebook {
    /// Writes a note.
    pub fn write(&mut self, note: impl Into<String>) {
        self.0.push(note.into());
    }
}

struct MemoryTransaction {
    store: Arc<MemoryStore>,
    notebook: Notebook,
}

pub(super) async fn begin(
    store: Arc<MemoryStore>,
) -> Result<Box<dyn ActivityTransaction>, StoreError> {
    store.transition("begin_activity", |_, _, _| Ok(())).await?;
    Ok(Box::new(MemoryTransaction { store, notebook: Notebook::default() }))
}

#[async_trait]
impl ActivityTransaction for MemoryTransaction {
    fn connection(&mut self) -> &mut (dyn Any + Send) {
        &mut self.notebook
    }

    async fn commit(self: Box<Self>, arrival: NewArrival) -> Result<ArrivalOutcome, StoreError> {
        let Self { store, notebook } = *self;
        let commit = store.transition("commit_activity", |state, now, news| {
            let ArrivalKind::Outcome { handle, .. } = arrival.kind else {
                unreachable!("a transaction ends with an outcome");
            };
            let key = ActivityKey { run_id: arrival.run_id, handle };
            let delivered = state.deliver(arrival, now, news);
            if matches!(delivered, ArrivalOutcome::Accepted { .. }) {
                state.notes.extend(notebook.0);
                news.wrote(Write::Noted { key });
            }
            Ok(delivered)
        });
        commit.await
    }

    async fn roll_back(self: Box<Self>) -> Result<(), StoreError> {
        Ok(())
    }
}
