//! Relays messages from the outbox to their target runs.
//!
//! A commit tells [which runs have sent something](crate::engine::outgoing), and the loop relays the messages
//! of those runs at once, many in one transaction. What fails, and what a process left that has died between a
//! commit and its relay, the [sweep](super::sweep) of any worker finds in the outbox. The store delivers each
//! message once, however many relay it at a time.

use std::collections::BTreeSet;
use std::sync::Arc;
use std::time::Duration;

use tracing::{debug, warn};

use crate::engine::session::Session;
use crate::error::{StoreError, with_causes};
use crate::failpoints;
use crate::model::RunId;
use crate::store::{RelayMessages, Relayed, Senders, Store};

/// The most messages in one transaction, as many as steps in one: beyond it a batch gains little.
const MAX_RELAYED: u32 = 500;

/// How long a message lies in the outbox before a sweep looks after it. Longer than a relay takes, so that
/// sweeps do not repeat what is under way.
const LEFT_AFTER: Duration = Duration::from_secs(1);

/// The most transactions of one sweep, so that a sweep comes to its other parts while others send.
const MAX_SWEPT: usize = 20;

/// Relays whatever commits of this worker send, until dropped.
pub(super) async fn run(session: &Arc<Session>) {
    loop {
        tokio::select! {
            () = session.outgoing.wait() => {}
            () = session.store.hub().sent() => {}
        }
        if let Err(error) = run_once(session).await {
            let worker_id = session.lease().worker_id.0;
            warn!(worker_id, error = %with_causes(&error), "messages wait for the next sweep");
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
        // What has been carried out may have closed runs.
        senders = hub.take_sent().into_iter().collect();
    }
    Ok(())
}

/// Relays what has been left in the outbox.
pub(super) async fn sweep(session: &Session) -> Result<(), StoreError> {
    for _ in 0..MAX_SWEPT {
        let relayed = relay(&*session.store, Senders::WaitingFor(LEFT_AFTER)).await?;
        if !relayed.has_more {
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
