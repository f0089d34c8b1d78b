//! What becomes of what is on its way to a workflow id, decided alike for every SQL store.
//!
//! Which run has the id was looked up before any run was locked, so it is looked at again here: the store
//! has locked the runs and has read what stands in their rows.

use std::collections::{BTreeSet, HashMap, HashSet};
use std::hash::Hash;

use sqlx::FromRow;
use uuid::Uuid;

use super::recipients::{Question, Recipients};
use super::{
    ArrivalKind, ArrivalOutcome, DeadLetterId, DeadLetterReason, NewArrival, RedeliverOutcome,
};
use crate::model::RunId;

/// Something on its way, by the key of its row.
pub(super) struct Parcel<K> {
    pub(super) key: K,
    pub(super) workflow_id: String,
    /// The first run of the chain that whoever has the workflow id must belong to.
    pub(super) chain: Option<RunId>,
    pub(super) arrival: ArrivalKind,
}

/// The workflow ids of parcels, each once.
pub(super) fn workflow_ids<K>(parcels: &[Parcel<K>]) -> BTreeSet<&str> {
    parcels.iter().map(|parcel| parcel.workflow_id.as_str()).collect()
}

/// Who has a workflow id.
#[derive(FromRow)]
pub(super) struct HolderRow {
    workflow_id: String,
    /// The open run.
    open: Option<Uuid>,
    /// The first run of its chain.
    first: Option<Uuid>,
    /// Whether there is a run, open or closed.
    is_known: bool,
}

/// Who has the workflow ids, as far as was looked up.
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

    /// What has to be known of the open runs.
    pub(super) fn question(&self) -> Question {
        let open = self.0.values().filter_map(|holder| holder.as_ref().ok());
        let open: BTreeSet<RunId> = open.map(|holder| holder.run_id).collect();
        Question { run_ids: open.into_iter().collect(), ..Question::default() }
    }
}

/// Parcels by where they go.
pub(super) struct Sorted<K> {
    /// Into the inboxes of these runs.
    pub(super) deliverable: Vec<(RunId, Parcel<K>)>,
    /// Nowhere.
    pub(super) undeliverable: Vec<(DeadLetterReason, Parcel<K>)>,
    /// Whether some stay where they are, because their run has closed since it was looked up.
    pub(super) leaves_some: bool,
}

impl<K: Copy + Eq + Hash> Sorted<K> {
    pub(super) fn of(parcels: Vec<Parcel<K>>, holders: &Holders, recipients: &Recipients) -> Self {
        let (mut deliverable, mut undeliverable) = (Vec::new(), Vec::new());
        let count = parcels.len();
        for parcel in parcels {
            match holders.0.get(&parcel.workflow_id) {
                // The chain is over, and the workflow id is somebody else's.
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

    /// Leaves those whose rows somebody else has taken.
    #[cfg(feature = "postgres")]
    pub(super) fn keep_taken(&mut self, taken: &HashSet<K>) {
        self.deliverable.retain(|(_, parcel)| taken.contains(&parcel.key));
        self.undeliverable.retain(|(_, parcel)| taken.contains(&parcel.key));
    }
}

/// Parcels as arrivals with their numbers.
pub(super) struct Delivery<K> {
    pub(super) keys: Vec<K>,
    pub(super) arrivals: Vec<NewArrival>,
    pub(super) accepted: Vec<ArrivalOutcome>,
}

impl<K> Delivery<K> {
    /// Numbers the parcels in their order.
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

    /// Each parcel with the run that has got it and its number there.
    pub(super) fn delivered(&self) -> impl Iterator<Item = (&K, RunId, i64)> {
        let parcels = self.keys.iter().zip(self.arrivals.iter().zip(&self.accepted));
        parcels.filter_map(|(key, (arrival, outcome))| match outcome {
            ArrivalOutcome::Accepted { seq } => Some((key, arrival.run_id, *seq)),
            _ => None,
        })
    }
}

/// What became of the letters with these ids, of which some were `there`.
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
    // An id that is named twice is gone the second time.
    ids.iter().map(|id| delivered.remove(id).unwrap_or_else(|| left(id))).collect()
}
