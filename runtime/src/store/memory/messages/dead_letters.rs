//! Dead letters: storing, listing, redelivering and deleting them.

use crate::model::Timestamp;
use crate::store::memory::state::{News, State};
use crate::store::weight::{Answer, Weight as _};
use crate::store::{
    ArrivalOutcome, DeadLetter, DeadLetterFilter, DeadLetterId, NewArrival, RedeliverOutcome,
};

impl State {
    pub(crate) fn add_letter(&mut self, letter: impl FnOnce(DeadLetterId) -> DeadLetter) {
        self.letters_ever += 1;
        let id = DeadLetterId(self.letters_ever);
        self.letters.insert(id, letter(id));
    }

    pub(super) fn list_dead_letters(
        &self,
        filter: &DeadLetterFilter,
        after: Option<DeadLetterId>,
        limit: usize,
    ) -> Vec<DeadLetter> {
        let matches = |letter: &&DeadLetter| {
            after.is_none_or(|after| letter.id > after)
                && filter.workflow_id.as_ref().is_none_or(|id| letter.workflow_id == *id)
                && filter.run_id.is_none_or(|run_id| letter.run_id == Some(run_id))
        };
        let mut answer = Answer::default();
        let matching = self.letters.values().filter(matches).take(limit);
        matching.take_while(|letter| answer.takes(letter.arrival.weight())).cloned().collect()
    }

    pub(super) fn redeliver_dead_letter(
        &mut self,
        id: DeadLetterId,
        now: Timestamp,
        news: &mut News<'_>,
    ) -> RedeliverOutcome {
        let Some(letter) = self.letters.get(&id) else { return RedeliverOutcome::Gone };
        let Ok(run_id) = self.holder(&letter.workflow_id) else { return RedeliverOutcome::NoRun };
        let kind = letter.arrival.clone();
        let arrival = NewArrival { run_id, kind, dedup_key: None, owner: None };
        match self.deliver(arrival, now, news) {
            ArrivalOutcome::Accepted { seq } => {
                self.letters.remove(&id);
                RedeliverOutcome::Delivered { run_id, seq }
            }
            _ => RedeliverOutcome::NoRun,
        }
    }
}
