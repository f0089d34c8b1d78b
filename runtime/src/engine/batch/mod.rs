//! Group commit: requests that arrive while a batch is written form the next batch.
//!
//! There is no artificial delay: a request that finds the batcher idle is written at once. If the database refuses
//! a batch, its requests are written one by one, so a request that cannot be written affects no other.

mod write;

use std::sync::Arc;
use std::sync::atomic::{AtomicUsize, Ordering};
use std::time::Duration;

use tokio::sync::{Mutex, mpsc, oneshot};
use tokio::task::yield_now;
use tokio::time::Instant;

use self::write::{Batch, write};
use crate::error::StoreError;
use crate::process;
use crate::store::{MAX_VALUE_BYTES, Weight};

/// The maximum number of requests in one transaction, which limits how long the next batch waits. At 200 rows the
/// measured gain per row has leveled off on both databases.
const MAX_BATCH: usize = 500;

/// A batch is full at this number of bytes, so that its copies, and the longest message of a database, do not limit
/// the size of states and payloads. A larger request is written alone. At this size a larger batch gains nothing.
const MAX_BATCH_BYTES: usize = 16 << 20;

/// Fewer requests than this are not split between lanes: the fixed cost of a batch is higher than the gain of two
/// at a time.
const MIN_SHARE: usize = 64;

/// A store method over many items.
pub(crate) trait Transition: Send + Sync + 'static {
    /// A request.
    type Item: Weight + Send + Sync + 'static;
    /// Its result.
    type Outcome: Send + 'static;

    /// The name of the store method.
    const OPERATION: &'static str;

    /// Processes all items; returns outcomes in their order.
    fn apply(
        &self,
        items: &[Self::Item],
    ) -> impl Future<Output = Result<Vec<Self::Outcome>, StoreError>> + Send;

    /// Whether the item may be sent again although it may already have taken effect.
    fn is_repeatable(&self, item: &Self::Item) -> bool;

    /// How long a request is retried; `None` means without limit.
    fn patience(&self) -> Option<Duration>;

    /// Adjusts an outcome before the caller gets it; does nothing by default. `retried` says that an earlier try
    /// may have taken effect.
    fn settle(
        &self,
        _item: &Self::Item,
        outcome: Self::Outcome,
        _retried: bool,
    ) -> impl Future<Output = Result<Self::Outcome, StoreError>> + Send {
        async { Ok(outcome) }
    }
}

/// Why a request failed.
pub(crate) type BatchError = Arc<StoreError>;

/// Sends requests to the task that writes them. Cheap to clone; the task ends when the last clone is dropped.
pub(crate) struct Batcher<T: Transition> {
    requests: mpsc::UnboundedSender<Request<T>>,
}

struct Request<T: Transition> {
    item: T::Item,
    reply: Reply<T>,
    asked_at: Instant,
}

/// The channel for the answer, which also returns the item. Freeing hundreds of items of other threads after a
/// batch costs several times what it costs their creators.
type Reply<T> =
    oneshot::Sender<(Result<<T as Transition>::Outcome, BatchError>, <T as Transition>::Item)>;

impl<T: Transition> Clone for Batcher<T> {
    fn clone(&self) -> Self {
        Self { requests: self.requests.clone() }
    }
}

impl<T: Transition> std::fmt::Debug for Batcher<T> {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.write_str("Batcher")
    }
}

impl<T: Transition> Batcher<T> {
    /// Starts tasks that write up to `lanes` batches at a time.
    pub(crate) fn spawn(transition: T, lanes: usize) -> Self {
        let (requests, receiver) = mpsc::unbounded_channel();
        let lanes = lanes.max(1);
        let queue = Mutex::new(Queue { receiver, crowd: 0 });
        let server = Arc::new(Server { transition, queue, lanes, writing: AtomicUsize::new(0) });
        for _ in 0..lanes {
            process::spawn(serve(Arc::clone(&server)));
        }
        Self { requests }
    }

    /// Requests `item` and waits until it is committed. Dropping the future does not withdraw the request.
    pub(crate) async fn submit(&self, item: T::Item) -> Result<T::Outcome, BatchError> {
        let largest = item.largest();
        if largest > MAX_VALUE_BYTES {
            let why = format!("it has {largest} bytes; the limit is {MAX_VALUE_BYTES}");
            let source = why.into();
            return Err(Arc::new(StoreError::Unstorable { operation: T::OPERATION, source }));
        }
        let (reply, answer) = oneshot::channel();
        // If the task is gone, so is the sender of the reply, and the error is `Fenced`.
        let _ = self.requests.send(Request { item, reply, asked_at: Instant::now() });
        match answer.await {
            Ok((answer, _)) => answer,
            Err(_) => Err(Arc::new(StoreError::Fenced)),
        }
    }
}

/// Waiting requests.
struct Queue<T: Transition> {
    receiver: mpsc::UnboundedReceiver<Request<T>>,
    /// The recent number of simultaneous requests: the last number, or half of the previous estimate.
    crowd: usize,
}

/// The state that lanes share.
struct Server<T: Transition> {
    transition: T,
    queue: Mutex<Queue<T>>,
    lanes: usize,
    /// Number of requests being written.
    writing: AtomicUsize,
}

async fn serve<T: Transition>(server: Arc<Server<T>>) {
    let Server { transition, queue, writing, .. } = &*server;
    let mut requests = Vec::new();
    let mut answered = 0;
    loop {
        if !queue
            .lock()
            .await
            .gather(&mut requests, |waiting| server.share(waiting + answered))
            .await
        {
            return;
        }
        answered = requests.len();
        writing.fetch_add(answered, Ordering::Relaxed);
        while !requests.is_empty() {
            let count = fitting(requests.iter().map(|request| request.item.weight()));
            let refused = write(transition, requests.drain(..count).collect()).await;
            for request in refused {
                write(transition, Batch::from_iter([request])).await;
            }
        }
        writing.fetch_sub(answered, Ordering::Relaxed);
    }
}

/// How many of the requests, with these sizes, fit into one batch: at least the first.
fn fitting(weights: impl Iterator<Item = usize>) -> usize {
    let mut sum = 0_usize;
    let fits = |weight: &usize| {
        let is_first = sum == 0;
        sum = sum.saturating_add((*weight).max(1));
        is_first || sum <= MAX_BATCH_BYTES
    };
    weights.take_while(fits).count()
}

impl<T: Transition> Server<T> {
    /// The maximum number of requests for one lane, given the number that `others` are writing. If one lane took
    /// all requests, the other lanes would be idle until it has answered, and the database would be idle until new
    /// requests arrive.
    fn share(&self, others: usize) -> usize {
        match self.lanes {
            1 => MAX_BATCH,
            lanes => {
                let all = others + self.writing.load(Ordering::Relaxed);
                all.div_ceil(lanes).clamp(MIN_SHARE, MAX_BATCH)
            }
        }
    }
}

impl<T: Transition> Queue<T> {
    /// Waits for requests, and yields to tasks that are about to send one: a batch has a high fixed cost for the
    /// database and the connection, and hundreds of tasks woken by the last answers may be about to send requests.
    /// If requests have been arriving alone, it does not yield. Takes at most the `share` of a lane. Returns
    /// whether there are any.
    async fn gather(
        &mut self,
        requests: &mut Vec<Request<T>>,
        share: impl FnOnce(usize) -> usize,
    ) -> bool {
        let share = share(self.receiver.len());
        if self.receiver.recv_many(requests, share).await == 0 {
            return false;
        }
        let is_alone = self.crowd <= 1 && requests.len() == 1;
        let mut known = 0;
        while known < requests.len() && requests.len() < share && !is_alone {
            known = requests.len();
            // Until every ready task has been polled, or dozens of them.
            yield_now().await;
            while requests.len() < share
                && let Ok(request) = self.receiver.try_recv()
            {
                requests.push(request);
            }
        }
        self.crowd = requests.len().max(self.crowd / 2);
        true
    }
}

#[cfg(test)]
mod tests {
    use std::error::Error as _;
    use std::sync::Mutex as StdMutex;

    use super::*;

    /// Refuses batches that contain 13, and records the batches it has written.
    #[derive(Default)]
    struct Numbers {
        written: Arc<StdMutex<Vec<Vec<u32>>>>,
    }

    /// The weight is a megabyte per thousand.
    impl Weight for u32 {
        fn weight(&self) -> usize {
            (*self as usize / 1_000) << 20
        }
    }

    impl Transition for Numbers {
        type Item = u32;
        type Outcome = u32;
        const OPERATION: &'static str = "double";

        async fn apply(&self, items: &[u32]) -> Result<Vec<u32>, StoreError> {
            tokio::task::yield_now().await;
            if items.contains(&13) {
                return Err(StoreError::Corrupt { what: "number", reason: "unlucky".into() });
            }
            let doubled = items.iter().map(|item| item * 2).collect();
            self.written.lock().expect("no test panics here").push(items.to_vec());
            Ok(doubled)
        }

        fn is_repeatable(&self, _: &u32) -> bool {
            true
        }

        fn patience(&self) -> Option<Duration> {
            Some(Duration::ZERO)
        }
    }

    #[tokio::test]
    async fn what_comes_during_a_write_is_written_together() {
        let numbers = Numbers::default();
        let written = Arc::clone(&numbers.written);
        let batcher = Batcher::spawn(numbers, 1);
        let asked = (100..200).map(|number| batcher.submit(number));
        let outcomes = futures_util::future::join_all(asked).await;
        let outcomes: Vec<_> = outcomes.into_iter().map(|outcome| outcome.expect("even")).collect();
        assert_eq!(outcomes, (100..200).map(|number| number * 2).collect::<Vec<_>>());
        assert!(written.lock().expect("no test panics here").len() <= 2);
    }

    #[tokio::test]
    async fn a_request_waits_for_others_only_where_others_come() {
        let numbers = Numbers::default();
        let written = Arc::clone(&numbers.written);
        let batcher = Batcher::spawn(numbers, 1);
        let one_behind_the_other = async || {
            let second = async {
                yield_now().await;
                batcher.submit(2).await
            };
            let _ = tokio::join!(batcher.submit(1), second);
            std::mem::take(&mut *written.lock().expect("no test panics here"))
        };
        assert_eq!(one_behind_the_other().await, [[1], [2]]);
        futures_util::future::join_all((100..110).map(|number| batcher.submit(number))).await;
        written.lock().expect("no test panics here").clear();
        assert_eq!(one_behind_the_other().await, [[1, 2]]);
    }

    #[tokio::test]
    async fn what_is_asked_for_again_and_again_is_divided_between_lanes() {
        let numbers = Numbers::default();
        let written = Arc::clone(&numbers.written);
        let batcher = Batcher::spawn(numbers, 2);
        let asking = (100..300).map(async |number| {
            for _ in 0..20 {
                batcher.submit(number).await.expect("even");
            }
        });
        futures_util::future::join_all(asking).await;
        let written = written.lock().expect("no test panics here");
        let sizes: Vec<_> = written.iter().map(Vec::len).collect();
        assert_eq!(sizes[sizes.len() - 10..], [100; 10], "{sizes:?}");
    }

    #[tokio::test]
    async fn a_batch_has_a_limit_of_bytes() {
        let numbers = Numbers::default();
        let written = Arc::clone(&numbers.written);
        let batcher = Batcher::spawn(numbers, 1);
        let sizes = [7_000, 8_000, 1_000, 1_000, 90_000, 5, 6, 16_000, 1_000];
        let outcomes = futures_util::future::join_all(sizes.map(|size| batcher.submit(size))).await;
        assert!(outcomes.into_iter().map(Result::ok).eq(sizes.map(|size| Some(2 * size))));
        let written = written.lock().expect("no test panics here");
        let expected: [&[u32]; 6] =
            [&[7_000, 8_000, 1_000], &[1_000], &[90_000], &[5, 6], &[16_000], &[1_000]];
        assert_eq!(*written, expected);
    }

    #[tokio::test]
    async fn what_is_too_large_is_refused_with_its_size() {
        let batcher = Batcher::spawn(Numbers::default(), 1);
        assert_eq!(batcher.submit(256_000).await.ok(), Some(512_000));
        let error = batcher.submit(257_000).await.expect_err("it is too large");
        let text = format!("{error}: {}", error.source().expect("it says why"));
        assert!(text.contains("`double`") && text.contains("269484032 bytes"), "{text}");
        assert!(!error.is_retryable());
    }

    #[tokio::test]
    async fn one_that_cannot_be_written_spoils_no_other() {
        let batcher = Batcher::spawn(Numbers::default(), 1);
        let asked = (10..20).map(|number| batcher.submit(number));
        let outcomes = futures_util::future::join_all(asked).await;
        for (number, outcome) in (10..20).zip(outcomes) {
            assert_eq!(outcome.ok(), (number != 13).then_some(number * 2));
        }
    }
}
