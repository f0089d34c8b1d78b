//! Relaying messages from the outbox to inboxes, or to the dead letters if there is no receiver.

use std::collections::BTreeSet;
use std::ops::Bound;
use std::time::Duration;

use crate::model::{RunId, Timestamp};
use crate::store::memory::kin::Carried;
use crate::store::memory::state::{News, State};
use crate::store::memory::{Guard, Write};
use crate::store::promises::Ask;
use crate::store::weight::{Answer, Weight as _};
use crate::store::{
    ArrivalOutcome, DeadLetter, DeadLetterReason, DeliveredMessage, Errand, MessageKey, NewArrival,
    Relayed, WaitingMessage,
};

impl State {
    pub(super) fn list_outbox(
        &self,
        after: Option<MessageKey>,
        limit: usize,
    ) -> Vec<WaitingMessage> {
        let mut answer = Answer::default();
        let begin = after.map_or(Bound::Unbounded, Bound::Excluded);
        let messages = self.outbox.range((begin, Bound::Unbounded)).take(limit);
        let messages = messages.take_while(|(_, (sent, _))| answer.takes(sent.body.weight()));
        let listed = messages.map(|(key, (sent, _))| WaitingMessage {
            key: *key,
            workflow_id: sent.to.to_string(),
            body: Some(sent.body.clone()),
        });
        listed.collect()
    }

    /// The runs that have had a message in the outbox for this long, the longest first, and those whose messages are
    /// from the future.
    pub(super) fn waiting_senders(&self, age: Duration, now: Timestamp) -> Vec<RunId> {
        let is_left = |sent_at: Timestamp| sent_at <= now - age || sent_at > now;
        let waiting = self.outbox.iter().filter(|(_, (_, sent_at))| is_left(*sent_at));
        let mut waiting: Vec<_> = waiting.map(|(key, (_, sent_at))| (*sent_at, *key)).collect();
        waiting.sort_unstable();
        waiting.into_iter().map(|(_, key)| key.run_id).collect()
    }

    pub(super) fn relay_messages(
        &mut self,
        senders: &[RunId],
        limit: usize,
        now: Timestamp,
        news: &mut News<'_>,
    ) -> Relayed {
        let (mut seen, mut answer, mut taken) = (BTreeSet::new(), Answer::default(), Vec::new());
        let mut relayed = Relayed::default();
        'senders: for sender in senders.iter().filter(|sender| seen.insert(**sender)) {
            let first = MessageKey { run_id: *sender, seq: i64::MIN };
            let last = MessageKey { run_id: *sender, seq: i64::MAX };
            if self.waits_for_predecessors(*sender) {
                continue;
            }
            for (key, (message, _)) in self.outbox.range(first..=last) {
                if taken.len() == limit || !answer.takes(message.body.weight()) {
                    relayed.has_more = true;
                    break 'senders;
                }
                taken.push(*key);
            }
        }
        self.counts.transactions += u64::from(!taken.is_empty());
        for key in taken {
            let stays = self.lacks(Guard::Outbox);
            let found =
                if stays { self.outbox.get(&key).cloned() } else { self.outbox.remove(&key) };
            let (message, sent_at) = found.expect("it was found there");
            let (chain, arrival) = match Errand::from(message.body.clone()) {
                Errand::Deliver { chain, kind } => (chain, kind),
                Errand::Start(start) => {
                    self.start_child(key, message.to, *start, now, news);
                    relayed.carried_out.push(key);
                    continue;
                }
                Errand::Await(awaited) => {
                    self.await_child(key.run_id, awaited, now, news);
                    relayed.carried_out.push(key);
                    continue;
                }
                Errand::Promise(message) => {
                    self.tell_promise(&Ask { sender: key.run_id, message }, now, news);
                    continue;
                }
                Errand::Close => {
                    match self.carry_out_close(key.run_id, limit, now, news) {
                        Carried::Out => relayed.carried_out.push(key),
                        Carried::InPart => {
                            self.outbox.insert(key, (message, sent_at));
                            relayed.has_more = true;
                        }
                    }
                    continue;
                }
            };
            match self.holder_in(&message.to, chain) {
                Ok(run_id) => {
                    let new = NewArrival { run_id, kind: arrival, dedup_key: None, owner: None };
                    if let ArrivalOutcome::Accepted { seq } = self.deliver(new, now, news) {
                        relayed.delivered.push(DeliveredMessage { key, run_id, seq });
                    }
                }
                Err(reason) => {
                    news.wrote(Write::DeadLetter { workflow_id: &message.to, kind: &arrival });
                    relayed.set_aside.push((key, reason.clone()));
                    self.add_letter(|id| DeadLetter {
                        id,
                        run_id: None,
                        workflow_id: message.to,
                        arrival,
                        message: Some(key),
                        reason,
                        set_aside_at: now,
                    });
                }
            }
        }
        relayed
    }

    /// The same, if the run must belong to a chain.
    fn holder_in(
        &self,
        workflow_id: &str,
        chain: Option<RunId>,
    ) -> Result<RunId, DeadLetterReason> {
        let run_id = self.holder(workflow_id)?;
        match chain {
            Some(chain) if self.first_of(run_id) != chain => Err(DeadLetterReason::Closed),
            _ => Ok(run_id),
        }
    }

    /// The open run with this workflow id, or why there is none.
    pub(super) fn holder(&self, workflow_id: &str) -> Result<RunId, DeadLetterReason> {
        if let Some(run_id) = self.open.get(workflow_id) {
            return Ok(*run_id);
        }
        let is_known = self.runs.values().any(|row| row.workflow_id == workflow_id);
        Err(if is_known { DeadLetterReason::Closed } else { DeadLetterReason::Unknown })
    }
}
