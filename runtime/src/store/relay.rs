//! Decides where each message to a workflow id goes, for all SQL stores.
//!
//! The run with the id was looked up before any run was locked, so it is checked again here, after the store has
//! locked the runs and read their columns.

use std::collections::{BTreeSet, HashMap, HashSet};
use std::hash::Hash;

use sqlx::FromRow;
use uuid::Uuid;

use super::recipients::{Question, Recipients};
use super::{
    ArrivalKind, ArrivalOutcome, DeadLetterId, DeadLetterReason, NewArrival, RedeliverOutcome,
};
use crate::model::RunId;

/// A message, with the key of its row.
pub(super) struct Parcel<K> {
    pub(super) key: K,
    pub(super) workflow_id: String,
    /// The first run of the chain to which the receiving run must belong.
    pub(super) chain: Option<RunId>,
    pub(super) arrival: ArrivalKind,
}

/// The workflow ids of messages, each once.
pub(super) fn workflow_ids<K>(parcels: &[Parcel<K>]) -> BTreeSet<&str> {
    parcels.iter().map(|parcel| parcel.workflow_id.as_str()).collect()
}

/// The run with a workflow id.
#[derive(FromRow)]
pub(super) struct HolderRow {
    workflow_id: String,
    /// The open run.
    open: Option<Uuid>,
    /// The first run of its chain.
    first: Option<Uuid>,
    /// Whether there is a run with the id, open or closed.
    is_known: bool,
}

/// The runs that have the workflow ids, as looked up.
pub(super) struct Holders(HashMap<String, Result<Holder, DeadLetterReason>>);

/// An open run.
#[derive(Clone, Copy)]
struct Holder {
    run_id: RunId,
    /// The first run of its chain.
    first: RunId,
}

impl Holders {
    pub(super) fn of(rows: Vec<HolderRow>) -> Self {
        let holder = |row: HolderRow| {
            let nobody =
                if row.is_known { DeadLetterReason::Closed } else { DeadLetterReason::Unknown };
            let holder = row.open.map(RunId::from).map(|run_id| {
                let first = row.first.map_or(run_id, RunId::from);
                Holder { run_id, first }
            });
            (row.workflow_id, holder.ok_or(nobody))
        };
        Self(rows.into_iter().map(holder).collect())
    }

    /// The rows of the open runs to read.
    pub(super) fn question(&self) -> Question {
        let open = self.0.values().filter_map(|holder| holder.as_ref().ok());
        let open: BTreeSet<RunId> = open.map(|holder| holder.run_id).collect();
        Question { run_ids: open.into_iter().collect(), ..Question::default() }
    }
}

/// Messages by destination.
pub(super) struct Sorted<K> {
    /// Those for the inboxes of these runs.
    pub(super) deliverable: Vec<(RunId, Parcel<K>)>,
    /// Those without a receiver.
    pub(super) undeliverable: Vec<(DeadLetterReason, Parcel<K>)>,
    /// Whether some stay in the outbox because their run has closed since the lookup.
    pub(super) leaves_some: bool,
}

impl<K: Copy + Eq + Hash> Sorted<K> {
    pub(super) fn of(parcels: Vec<Parcel<K>>, holders: &Holders, recipients: &Recipients) -> Self {
        let (mut deliverable, mut undeliverable) = (Vec::new(), Vec::new());
        let count = parcels.len();
        for parcel in parcels {
            match holders.0.get(&parcel.workflow_id) {
                // The chain is closed, and another run has the workflow id.
                Some(Ok(holder)) if parcel.chain.is_some_and(|chain| chain != holder.first) => {
                    undeliverable.push((DeadLetterReason::Closed, parcel));
                }
                Some(Ok(holder)) if recipients.is_open(holder.run_id) => {
                    deliverable.push((holder.run_id, parcel));
                }
                Some(Err(reason)) => undeliverable.push((reason.clone(), parcel)),
                Some(Ok(_)) | None => {}
            }
        }
        let leaves_some = deliverable.len() + undeliverable.len() < count;
        Self { deliverable, undeliverable, leaves_some }
    }

    /// Removes messages whose rows another transaction has deleted.
    #[cfg(feature = "postgres")]
    pub(super) fn keep_taken(&mut self, taken: &HashSet<K>) {
        self.deliverable.retain(|(_, parcel)| taken.contains(&parcel.key));
        self.undeliverable.retain(|(_, parcel)| taken.contains(&parcel.key));
    }
}

/// Messages as numbered arrivals.
pub(super) struct Delivery<K> {
    pub(super) keys: Vec<K>,
    pub(super) arrivals: Vec<NewArrival>,
    pub(super) accepted: Vec<ArrivalOutcome>,
}

impl<K> Delivery<K> {
    /// Numbers the messages in their order.
    pub(super) fn of(parcels: Vec<(RunId, Parcel<K>)>, recipients: &mut Recipients) -> Self {
        let (keys, arrivals): (Vec<K>, Vec<NewArrival>) = parcels
            .into_iter()
            .map(|(run_id, parcel)| {
                let Parcel { key, arrival: kind, .. } = parcel;
                (key, NewArrival { run_id, kind, dedup_key: None, owner: None })
            })
            .unzip();
        let accepted = arrivals.iter().map(|arrival| recipients.accept(arrival)).collect();
        Self { keys, arrivals, accepted }
    }

    /// Each message with its receiving run and its number there.
    pub(super) fn delivered(&self) -> impl Iterator<Item = (&K, RunId, i64)> {
        let parcels = self.keys.iter().zip(self.arrivals.iter().zip(&self.accepted));
        parcels.filter_map(|(key, (arrival, outcome))| match outcome {
            ArrivalOutcome::Accepted { seq } => Some((key, arrival.run_id, *seq)),
            _ => None,
        })
    }
}

/// The outcomes for dead letters with these ids, of which some were `there`.
pub(super) fn redelivered(
    ids: &[DeadLetterId],
    mut there: HashSet<DeadLetterId>,
    delivery: &Delivery<DeadLetterId>,
) -> Vec<RedeliverOutcome> {
    let delivered = delivery.delivered().map(|(id, run_id, seq)| {
        there.remove(id);
        (*id, RedeliverOutcome::Delivered { run_id, seq })
    });
    let mut delivered: HashMap<_, _> = delivered.collect();
    let left = |id| match there.contains(id) {
        true => RedeliverOutcome::NoRun,
        false => RedeliverOutcome::Gone,
    };
    // The second occurrence of an id is gone.
    ids.iter().map(|id| delivered.remove(id).unwrap_or_else(|| left(id))).collect()
}
