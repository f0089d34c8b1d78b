//! Writing a batch: retried after retryable errors, split into single requests if the database refuses it, with an
//! answer for each request.

use std::sync::Arc;

use tokio::time::Instant;

use super::{BatchError, Reply, Request, Transition};
use crate::engine::backoff::Backoff;
use crate::engine::outage::{self, tried_again};
use crate::engine::panics;
use crate::error::StoreError;

/// Requests that are written together; items and replies are in the same order.
pub(super) struct Batch<T: Transition> {
    items: Vec<T::Item>,
    replies: Vec<(Reply<T>, Instant)>,
}

/// Writes a batch and answers its requests. If the database refuses the whole batch, returns the requests, to be
/// written one by one.
pub(super) async fn write<T: Transition>(transition: &T, mut batch: Batch<T>) -> Vec<Request<T>> {
    let mut backoff = Backoff::default();
    while !batch.items.is_empty() {
        match unbroken(T::OPERATION, transition.apply(&batch.items)).await {
            Ok(outcomes) => {
                outage::answered();
                let retried = backoff.failures() > 0;
                for (Request { item, reply, .. }, outcome) in batch.into_requests().zip(outcomes) {
                    let settled = transition.settle(&item, outcome, retried);
                    let settled = unbroken(T::OPERATION, settled).await;
                    let _ = reply.send((settled.map_err(Arc::new), item));
                }
                break;
            }
            Err(error) if error.is_retryable() => {
                let took = backoff.last_try();
                let has_time = |request: &Request<T>| {
                    let patience = transition.patience();
                    patience.is_none_or(|patience| request.asked_at.elapsed() + took < patience)
                };
                outage::is_away(&error);
                let error = Arc::new(error);
                let (again, over): (Vec<_>, Vec<_>) = batch.into_requests().partition(|request| {
                    transition.is_repeatable(&request.item) && has_time(request)
                });
                over.into_iter().for_each(|request| answer(request, &error));
                if again.is_empty() {
                    break;
                }
                tried_again!(
                    &*error,
                    operation = T::OPERATION,
                    failures = backoff.failures() + 1,
                    "the database will be tried again"
                );
                backoff.wait().await;
                let again = again.into_iter().filter(|request| !request.reply.is_closed());
                batch = again.collect();
            }
            Err(error) if batch.items.len() > 1 && !matches!(error, StoreError::Fenced) => {
                return batch.into_requests().collect();
            }
            Err(error) => {
                let error = Arc::new(error);
                batch.into_requests().for_each(|request| answer(request, &error));
                break;
            }
        }
    }
    Vec::new()
}

/// A panic in the call counts as an error of the database. Otherwise callers would wait for a dead task, or be
/// treated as fenced.
async fn unbroken<V>(
    operation: &'static str,
    call: impl Future<Output = Result<V, StoreError>>,
) -> Result<V, StoreError> {
    panics::caught(call).await.unwrap_or_else(|message| {
        let source = format!("it panicked: {message}").into();
        Err(StoreError::Database { operation, retryable: false, source })
    })
}

impl<T: Transition> Batch<T> {
    fn into_requests(self) -> impl Iterator<Item = Request<T>> {
        let requests = self.items.into_iter().zip(self.replies);
        requests.map(|(item, (reply, asked_at))| Request { item, reply, asked_at })
    }
}

impl<T: Transition> FromIterator<Request<T>> for Batch<T> {
    fn from_iter<I: IntoIterator<Item = Request<T>>>(requests: I) -> Self {
        let requests = requests.into_iter();
        let requests = requests.map(|Request { item, reply, asked_at }| (item, (reply, asked_at)));
        let (items, replies) = requests.unzip();
        Self { items, replies }
    }
}

fn answer<T: Transition>(request: Request<T>, error: &BatchError) {
    // The caller may have been dropped.
    let _ = request.reply.send((Err(Arc::clone(error)), request.item));
}
