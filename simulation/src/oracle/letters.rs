//! Messages between runs: each letter is delivered once or becomes a dead letter once, and letters of one run to
//! another arrive in the order in which they were sent.

use std::collections::{BTreeMap, VecDeque};

use piton::machine::Signal;
use piton::model::{Message, RunId};
use piton::store::{ArrivalKind, CommitStep, Effect};

use crate::workflows::Letter;

/// See the [module documentation](self).
#[derive(Debug, Default)]
pub(super) struct Letters {
    /// The numbers of the letters in flight, by the sender and the target's workflow id.
    on_their_way: BTreeMap<(RunId, String), VecDeque<u32>>,
}

impl Letters {
    /// Records the messages of a committed step. Returns a violation.
    pub(super) fn sent(&mut self, step: &CommitStep) -> Option<String> {
        for effect in &step.effects {
            let Effect::Send(message) = effect else { continue };
            let Message::Signal { payload, .. } = &message.body else { continue };
            let letter: Letter = match piton::codec::from_payload(payload) {
                Ok(letter) => letter,
                Err(error) => return Some(format!("sends what is no letter: {error}")),
            };
            if letter.from != step.run_id {
                return Some(format!("sends {letter:?}, which is another's"));
            }
            let key = (step.run_id, message.to.clone());
            self.on_their_way.entry(key).or_default().push_back(letter.number);
        }
        None
    }

    /// Records an arrival or a dead letter for this workflow id. Returns a violation.
    pub(super) fn came(&mut self, workflow_id: &str, kind: &ArrivalKind) -> Option<String> {
        let ArrivalKind::Signal { name, payload } = kind else { return None };
        if name != Letter::NAME {
            return None;
        }
        let letter: Letter = match piton::codec::from_payload(payload) {
            Ok(letter) => letter,
            Err(error) => return Some(format!("has got what is no letter: {error}")),
        };
        let key = (letter.from, workflow_id.to_owned());
        let next = self.on_their_way.get_mut(&key).and_then(VecDeque::pop_front);
        (next != Some(letter.number)).then(|| format!("has got {letter:?}, and {next:?} was next"))
    }

    /// The letters in flight.
    pub(super) fn left(&self) -> impl Iterator<Item = String> {
        let left = self.on_their_way.iter().filter(|(_, numbers)| !numbers.is_empty());
        left.map(|((from, to), numbers)| format!("letters {numbers:?} of {from} to {to} were lost"))
    }
}
