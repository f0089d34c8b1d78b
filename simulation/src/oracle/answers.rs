//! Answers to updates: each update that has arrived is answered at most once, and no other is.

use std::collections::{BTreeMap, BTreeSet};

use piton::model::{RunId, UpdateReply};
use piton::store::ArrivalKind;

use crate::workflows::Question;

/// See the [module documentation](self).
#[derive(Debug, Default)]
pub(super) struct Answers {
    /// The numbers of the questions that wait for answers, by their run and the id of the update.
    waiting: BTreeMap<(RunId, String), u32>,
    answered: BTreeSet<(RunId, String)>,
    /// The runs with a request to cancel. They may drop their updates.
    cancelled: BTreeSet<RunId>,
}

impl Answers {
    /// Records an arrival. Returns a violation.
    pub(super) fn came(&mut self, run_id: RunId, kind: &ArrivalKind) -> Option<String> {
        if let ArrivalKind::Cancel { .. } = kind {
            self.cancelled.insert(run_id);
        }
        let ArrivalKind::Update { id, payload, .. } = kind else { return None };
        let Question(number) = match piton::codec::from_payload(payload) {
            Ok(question) => question,
            Err(error) => return Some(format!("has got what is no question: {error}")),
        };
        let is_second = self.waiting.insert((run_id, id.clone()), number).is_some();
        is_second.then(|| format!("has got the update `{id}` twice"))
    }

    /// Records an answer. Returns a violation.
    pub(super) fn given(
        &mut self,
        run_id: RunId,
        update: &str,
        reply: &UpdateReply,
    ) -> Option<String> {
        let key = (run_id, update.to_owned());
        let Some(number) = self.waiting.get(&key) else {
            return Some(format!("has answered the update `{update}`, which it has not got"));
        };
        let expected = Question(*number).answer();
        let is_right = match reply {
            UpdateReply::Replied(payload) => {
                piton::codec::from_payload::<u32>(payload).is_ok_and(|answer| answer == expected)
            }
            UpdateReply::Dropped => self.cancelled.contains(&run_id),
            _ => false,
        };
        if !self.answered.insert(key) {
            return Some(format!("has answered the update `{update}` twice"));
        }
        (!is_right).then(|| format!("has answered the update `{update}` with {reply:?}"))
    }
}
