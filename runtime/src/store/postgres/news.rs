//! Notifications between processes.
//!
//! A notification goes to this process's [`Hub`] at once. A task collects notifications for some milliseconds and
//! sends them to other processes in one `NOTIFY`. A store also receives its own notifications and recognizes them
//! by their origin.

use std::collections::BTreeSet;
use std::fmt::Write as _;
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};
use std::time::Duration;

use sqlx::PgConnection;
use tokio::sync::mpsc;
use tokio::task::JoinHandle;
use tokio::time::{Instant, sleep_until};
use uuid::Uuid;

use super::lanes::Lanes;
use crate::model::{Handle, RunId, WorkerId};
use crate::store::{ActivityKey, Ending, Hub, RunEvent};

/// The channel of all notifications. Channels are per database, so the name contains a hash of the schema; the name
/// of a schema may itself be as long as that of a channel.
const CHANNEL: &str = "SELECT 'piton ' || hashtext(current_schema())";

/// The longest notification that Postgres accepts is one byte under 8,000.
const MAX_PAYLOAD: usize = 7_900;

/// The maximum number of notifications in one transaction.
const MAX_ITEMS: usize = 4_096;

/// The pause before the next transaction, per notification sent, up to [`MAX_PAUSE`]. A transaction costs the
/// server, and every listener, as much as dozens of steps, however little it contains. So if thousands of runs end,
/// few transactions report many of them, and if a run ends now and then, it is reported at once.
const PAUSE: Duration = Duration::from_micros(250);
const MAX_PAUSE: Duration = Duration::from_millis(5);

/// Notifications need not survive the server, so their commit does not wait for the log; the events they report are
/// already committed.
const SEND: &str = "SELECT set_config('synchronous_commit', 'off', true), \
    pg_notify($2, payload) FROM unnest($1::text[]) AS payload";

/// Distinguishes the notifications of one store from those of others.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct Origin(u64);

impl Origin {
    pub(super) fn new() -> Self {
        // The lower half of the id is random.
        Self(Uuid::now_v7().as_u64_pair().1)
    }
}

/// A notification.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord)]
enum Item {
    Due,
    Arrival(Uuid),
    Settled(Uuid),
    Queued(String),
    GivenUp(Uuid, u64),
}

/// Where a store reports its commits.
#[derive(Debug)]
pub(super) struct News {
    hub: Arc<Hub>,
    items: mpsc::UnboundedSender<Item>,
    /// The workers of this process, which are notified by the hub.
    workers: Mutex<BTreeSet<WorkerId>>,
    task: JoinHandle<()>,
}

/// The name of the [`CHANNEL`] of the session's schema.
pub(super) async fn channel(connection: &mut PgConnection) -> Result<Arc<str>, sqlx::Error> {
    let channel: String = sqlx::query_scalar(CHANNEL).fetch_one(connection).await?;
    Ok(channel.into())
}

impl News {
    pub(super) fn start(lanes: Lanes, hub: Arc<Hub>, origin: Origin, channel: Arc<str>) -> Self {
        let (items, receiver) = mpsc::unbounded_channel();
        let task = tokio::spawn(send_all(lanes, Paced::new(receiver), origin, channel));
        Self { hub, items, workers: Mutex::default(), task }
    }

    /// A run may be due.
    pub(super) fn due(&self) {
        self.hub.announce_due();
        self.send(Item::Due);
    }

    /// A run has a new arrival. Only its owner has to be notified: a later claim reads the inbox.
    pub(super) fn arrival(&self, run_id: RunId, owner: Option<WorkerId>) {
        self.hub.announce(RunEvent::Arrival(run_id));
        if owner.is_some_and(|owner| !self.workers().contains(&owner)) {
            self.send(Item::Arrival(run_id.as_uuid()));
        }
    }

    /// A worker was registered in this process.
    pub(super) fn register(&self, worker: WorkerId) {
        self.workers().insert(worker);
    }

    /// A worker was removed.
    pub(super) fn release(&self, worker: WorkerId) {
        self.workers().remove(&worker);
    }

    /// A run was blocked.
    pub(super) fn blocked(&self, run_id: RunId) {
        self.hub.announce(RunEvent::Settled(run_id));
        self.send(Item::Settled(run_id.as_uuid()));
    }

    /// A run has closed.
    pub(super) fn ended(&self, run_id: RunId, ending: impl FnOnce() -> Ending) {
        self.hub.announce_end(run_id, ending);
        self.send(Item::Settled(run_id.as_uuid()));
    }

    /// An activity on this queue may be due.
    pub(super) fn queued(&self, queue: &str) {
        self.hub.announce_queued(queue);
        self.send(Item::Queued(queue.to_owned()));
    }

    /// A run has dropped an activity with a running attempt.
    pub(super) fn given_up(&self, key: ActivityKey) {
        self.hub.announce_given_up(key);
        self.send(Item::GivenUp(key.run_id.as_uuid(), key.handle.0));
    }

    pub(super) fn close(&self) {
        self.task.abort();
    }

    fn workers(&self) -> MutexGuard<'_, BTreeSet<WorkerId>> {
        // The value is consistent after every operation, so a poisoned lock is usable.
        self.workers.lock().unwrap_or_else(PoisonError::into_inner)
    }

    fn send(&self, item: Item) {
        // A closed store sends no notifications.
        let _ = self.items.send(item);
    }
}

impl Drop for News {
    fn drop(&mut self) {
        self.close();
    }
}

/// Notifications that cannot be sent are dropped: the slow poll of other processes finds the changes.
async fn send_all(lanes: Lanes, mut news: Paced, origin: Origin, channel: Arc<str>) {
    while let Some(items) = news.next().await {
        if let Err(error) = send(&lanes, &channel, write(&items, origin)).await {
            tracing::debug!(%error, "news could not be sent");
        }
    }
}

/// Sends notifications, with a pause after many.
struct Paced {
    items: mpsc::UnboundedReceiver<Item>,
    batch: Vec<Item>,
    next_at: Instant,
}

impl Paced {
    fn new(items: mpsc::UnboundedReceiver<Item>) -> Self {
        Self { items, batch: Vec::new(), next_at: Instant::now() }
    }

    /// The notifications since the last call; `None` once all senders are gone.
    async fn next(&mut self) -> Option<BTreeSet<Item>> {
        if self.items.recv_many(&mut self.batch, MAX_ITEMS).await == 0 {
            return None;
        }
        sleep_until(self.next_at).await;
        while self.batch.len() < MAX_ITEMS
            && let Ok(item) = self.items.try_recv()
        {
            self.batch.push(item);
        }
        let pieces = u32::try_from(self.batch.len()).unwrap_or(u32::MAX);
        self.next_at = Instant::now() + PAUSE.saturating_mul(pieces).min(MAX_PAUSE);
        Some(self.batch.drain(..).collect())
    }
}

async fn send(lanes: &Lanes, channel: &str, payloads: Vec<String>) -> Result<(), sqlx::Error> {
    let mut lane = lanes.lane().await?;
    sqlx::query(SEND).bind(payloads).bind(channel).execute(lane.get()).await?;
    lane.done();
    Ok(())
}

/// Notifications as payloads: the origin, then `d`, `a<run id>`, `s<run id>`, `q<queue in hexadecimal>` or `g<run
/// id>.<handle>`, separated by spaces.
fn write(items: &BTreeSet<Item>, origin: Origin) -> Vec<String> {
    let mut payloads = vec![format!("{:x}", origin.0)];
    for item in items {
        let mut word = String::with_capacity(34);
        // Writing to a String cannot fail.
        let _ = match item {
            Item::Due => write!(word, " d"),
            Item::Arrival(run_id) => write!(word, " a{}", run_id.simple()),
            Item::Settled(run_id) => write!(word, " s{}", run_id.simple()),
            Item::GivenUp(run_id, handle) => write!(word, " g{}.{handle}", run_id.simple()),
            Item::Queued(queue) => {
                word.push_str(" q");
                queue.bytes().try_for_each(|byte| write!(word, "{byte:02x}"))
            }
        };
        match payloads.last_mut() {
            Some(payload) if payload.len() + word.len() <= MAX_PAYLOAD => payload.push_str(&word),
            _ => payloads.push(format!("{:x}{word}", origin.0)),
        }
    }
    payloads
}

/// Passes on other stores' notifications; those of unknown versions are skipped.
pub(super) fn publish(payload: &str, own: Origin, hub: &Hub) {
    let mut words = payload.split(' ');
    if words.next().and_then(|origin| u64::from_str_radix(origin, 16).ok()) == Some(own.0) {
        return;
    }
    for word in words {
        let run_id = || word.get(1..)?.parse::<RunId>().ok();
        match word.as_bytes().first() {
            Some(b'd') => hub.announce_due(),
            Some(b'a') => run_id().into_iter().for_each(|id| hub.announce(RunEvent::Arrival(id))),
            Some(b's') => run_id().into_iter().for_each(|id| hub.announce(RunEvent::Settled(id))),
            Some(b'q') => read_queue(word).iter().for_each(|queue| hub.announce_queued(queue)),
            Some(b'g') => read_key(word).into_iter().for_each(|key| hub.announce_given_up(key)),
            _ => {}
        }
    }
}

fn read_queue(word: &str) -> Option<String> {
    let digits = word.get(1..)?.as_bytes().chunks(2);
    let byte = |pair| u8::from_str_radix(std::str::from_utf8(pair).ok()?, 16).ok();
    String::from_utf8(digits.map(byte).collect::<Option<_>>()?).ok()
}

fn read_key(word: &str) -> Option<ActivityKey> {
    let (run_id, handle) = word.get(1..)?.split_once('.')?;
    Some(ActivityKey { run_id: run_id.parse().ok()?, handle: Handle(handle.parse().ok()?) })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn news_is_split_and_read_again() {
        let (own, other) = (Origin(1), Origin(2));
        let run_ids: Vec<RunId> = (0..500).map(|_| RunId::new()).collect();
        let mut items: BTreeSet<Item> =
            run_ids.iter().map(|run_id| Item::Arrival(run_id.as_uuid())).collect();
        items.insert(Item::Due);
        let key = ActivityKey { run_id: run_ids[7], handle: Handle(3) };
        items.insert(Item::GivenUp(key.run_id.as_uuid(), key.handle.0));
        items.insert(Item::Queued("a queue é".into()));
        let payloads = write(&items, other);
        assert!(payloads.len() > 1 && payloads.iter().all(|payload| payload.len() < 8_000));
        let hub = Arc::new(Hub::default());
        let (sender, mut news) = mpsc::unbounded_channel();
        let _subscription = hub.subscribe(run_ids[499], sender);
        let queued = hub.listen_to_queues(["a queue é"]);
        let mut given_up = hub.listen_for_given_up();
        for payload in &payloads {
            publish(payload, own, &hub);
        }
        assert_eq!(news.try_recv(), Ok(RunEvent::Arrival(run_ids[499])));
        assert!(news.try_recv().is_err());
        assert_eq!(hub.arrivals(), 500);
        assert_eq!(given_up.try_recv(), Ok(key));
        assert!(futures_util::FutureExt::now_or_never(queued.notified()).is_some());
    }

    #[tokio::test(start_paused = true)]
    async fn after_much_news_there_is_a_pause() {
        let (sender, items) = mpsc::unbounded_channel();
        let begin = Instant::now();
        let says = async {
            for (millis, count) in [(0, 4_000), (1, 1), (2, 8), (4, 1), (8, 1), (9, 1), (10, 1)] {
                sleep_until(begin + Duration::from_millis(millis)).await;
                for number in 0..count {
                    let item = Item::Queued(format!("{millis} {number}"));
                    sender.send(item).expect("it is listened to");
                }
            }
            drop(sender);
        };
        let sends = async {
            let (mut news, mut sent) = (Paced::new(items), Vec::new());
            while let Some(items) = news.next().await {
                sent.push((begin.elapsed().as_millis(), items.len()));
            }
            sent
        };
        let ((), sent) = tokio::join!(says, sends);
        assert_eq!(sent, [(0, 4_000), (5, 10), (8, 1), (9, 1), (10, 1)]);
    }

    #[test]
    fn own_and_unreadable_news_is_skipped() {
        let hub = Hub::default();
        let own = Origin(7);
        for payload in ["7 d a0", "", "x", "8 z aé s qé qff q1 g g1.1"] {
            publish(payload, own, &hub);
        }
        assert_eq!(hub.arrivals(), 0);
    }
}
