//! Relays messages from the outbox to their target runs.
//!
//! A commit reports [which runs have sent messages](crate::engine::outgoing), and the loop relays their messages at
//! once, many in one transaction. Messages of a failed relay, and those of a process that died between a commit and
//! its relay, are found in the outbox by the [sweep](super::sweep) of any worker. The store delivers each message
//! once, even if several processes relay it at the same time.

use std::collections::BTreeSet;
use std::sync::Arc;
use std::time::Duration;

use tracing::{debug, warn};

use crate::engine::outage::tried_again;
use crate::engine::session::Session;
use crate::error::StoreError;
use crate::failpoints;
use crate::model::RunId;
use crate::store::{RelayMessages, Relayed, Senders, Store};

/// The maximum number of messages in one transaction. As with steps, a larger batch gains little.
const MAX_RELAYED: u32 = 500;

/// How long a message is in the outbox before a sweep relays it. Longer than a relay takes, so that sweeps do not
/// repeat work in progress.
const LEFT_AFTER: Duration = Duration::from_secs(1);

/// The maximum number of transactions of one sweep, so that its other parts get their turn.
const MAX_SWEPT: usize = 20;

/// Relays the messages of this worker's commits, until dropped.
pub(super) async fn run(session: &Arc<Session>) {
    loop {
        tokio::select! {
            () = session.outgoing.wait() => {}
            () = session.store.hub().sent() => {}
        }
        if let Err(error) = run_once(session).await {
            let worker_id = session.lease().worker_id.0;
            tried_again!(&error, worker_id, "messages wait for the next sweep");
        }
    }
}

/// Relays the messages of the runs that are known to have sent some.
pub(crate) async fn run_once(session: &Session) -> Result<(), StoreError> {
    let hub = session.store.hub();
    let mut senders = BTreeSet::from_iter(session.outgoing.take());
    senders.extend(hub.take_sent());
    while !senders.is_empty() {
        let named: Vec<RunId> = senders.into_iter().collect();
        while relay(&*session.store, Senders::Runs(&named)).await?.has_more {}
        // Delivered messages may have closed runs.
        senders = hub.take_sent().into_iter().collect();
    }
    Ok(())
}

/// Relays messages that were left in the outbox. The messages of a run wait for those of the run before it in its
/// chain, so after each transaction that has relayed some, others may be next.
pub(super) async fn sweep(session: &Session) -> Result<(), StoreError> {
    for _ in 0..MAX_SWEPT {
        let relayed = relay(&*session.store, Senders::WaitingFor(LEFT_AFTER)).await?;
        let Relayed { delivered, carried_out, set_aside, has_more, .. } = relayed;
        let is_idle = delivered.is_empty() && carried_out.is_empty() && set_aside.is_empty();
        if is_idle && !has_more {
            break;
        }
    }
    Ok(())
}

async fn relay(store: &dyn Store, senders: Senders<'_>) -> Result<Relayed, StoreError> {
    failpoints::hit("before_relay");
    let relayed = store.relay_messages(RelayMessages { senders, limit: MAX_RELAYED }).await?;
    let messages = relayed.delivered.len() + relayed.carried_out.len();
    if messages > 0 {
        failpoints::hit("after_relay");
        debug!(messages, "relayed");
    }
    for (key, reason) in &relayed.set_aside {
        warn!(
            sender = %key.run_id,
            seq = key.seq,
            %reason,
            "a message could not be delivered and is a dead letter"
        );
    }
    for key in &relayed.unreadable {
        warn!(sender = %key.run_id, seq = key.seq, "a message waits for a build that can read it");
    }
    Ok(relayed)
}
