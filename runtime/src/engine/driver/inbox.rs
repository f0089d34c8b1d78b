//! The run's inbox: reading arrivals, and adding those of the driver.

use std::sync::atomic::Ordering;

use super::{Driver, Ended, SAVE_AGAIN_AFTER, Unsaved};
use crate::engine::backoff::Backoff;
use crate::engine::events::run_event;
use crate::engine::evolution;
use crate::engine::session::Session;
use crate::error::StoreError;
use crate::model::{BlockedReason, RunId};
use crate::store::{Arrival, ArrivalKind, ArrivalOutcome, Inbox, NewArrival};
use tokio::time::sleep;

/// The number of arrivals to read at a time.
pub(crate) const INBOX_PAGE: u32 = 200;

impl Driver {
    /// Puts ends of attempts into the inbox that do not make the run ready.
    pub(super) async fn save(&mut self) -> Result<(), Ended> {
        // Arrivals refer to operations, which must be part of the committed state.
        self.catch_up().await?;
        let unsaved = std::mem::take(&mut self.unsaved);
        let mut asked = Vec::with_capacity(unsaved.len());
        for unsaved in unsaved {
            let kind = match &unsaved {
                Unsaved::Outcome(handle) => match self.machine.unsaved_outcome(*handle) {
                    Some(outcome) => ArrivalKind::Outcome { handle: *handle, outcome },
                    None => continue,
                },
                Unsaved::Retry { handle, attempt, retry_at, failure, details } => {
                    ArrivalKind::Retry {
                        handle: *handle,
                        attempt: *attempt,
                        retry_at: *retry_at,
                        failure: failure.clone(),
                        details: details.clone(),
                    }
                }
                Unsaved::Interruption { handle, attempt } => {
                    ArrivalKind::Interruption { handle: *handle, attempt: *attempt }
                }
            };
            let owner = Some(self.hold.session.lease());
            let arrival = NewArrival { run_id: self.run.run_id, kind, dedup_key: None, owner };
            asked.push((unsaved, arrival));
        }
        let deliveries = self.hold.session.deliveries.clone();
        let (unsaved, arrivals): (Vec<_>, Vec<_>) = asked.into_iter().unzip();
        let answers = arrivals.into_iter().map(|arrival| deliveries.submit(arrival));
        let answers = futures_util::future::join_all(answers).await;
        for (unsaved, answer) in unsaved.into_iter().zip(answers) {
            match answer {
                Ok(ArrivalOutcome::Accepted { seq }) => self.saved(unsaved, seq),
                Ok(outcome) => {
                    run_event!(
                        info,
                        self.name(),
                        ?outcome,
                        "the run has another owner or is closed"
                    );
                    // Or the run is ours, and the lease has expired.
                    self.hold.doubt();
                    return Err(Ended);
                }
                Err(error) => match &*error {
                    StoreError::Unstorable { source, .. } => {
                        self.refuse(&**source);
                        self.unsaved.extend(self.as_cut_off(&unsaved));
                    }
                    _ => {
                        run_event!(again(&error), self.name(), "an outcome could not be saved yet");
                        self.unsaved.push(unsaved);
                    }
                },
            }
        }
        if self.refused.is_some() {
            return Err(Ended);
        }
        if !self.unsaved.is_empty() {
            sleep(SAVE_AGAIN_AFTER).await;
        }
        Ok(())
    }

    /// What to store for an attempt whose outcome the database cannot store: that its number is used.
    fn as_cut_off(&self, unsaved: &Unsaved) -> Option<Unsaved> {
        let (handle, attempt) = match unsaved {
            Unsaved::Outcome(handle) => {
                let attempts = self.machine.with_activity(*handle, |activity| activity.attempts)?;
                (*handle, attempts + 1)
            }
            Unsaved::Retry { handle, attempt, .. } => (*handle, *attempt),
            // It contains no value that could be refused.
            Unsaved::Interruption { .. } => return None,
        };
        Some(Unsaved::Interruption { handle, attempt })
    }

    pub(super) fn saved(&mut self, unsaved: Unsaved, seq: i64) {
        match unsaved {
            Unsaved::Outcome(handle) => self.machine.saved_outcome(handle, seq),
            Unsaved::Retry { handle, attempt, retry_at, failure, details } => {
                let at = Some(seq);
                self.machine.deliver_retry(at, handle, attempt, retry_at, failure, details);
            }
            Unsaved::Interruption { handle, attempt } => {
                self.machine.deliver_interruption(Some(seq), handle, attempt);
            }
        }
        self.note_read(seq);
    }

    /// Records an arrival that the machine already has.
    pub(super) fn note_read(&mut self, seq: i64) {
        let read = self.hold.inbox_read.load(Ordering::Relaxed);
        if seq == read + 1 {
            self.hold.inbox_read.store(seq, Ordering::Relaxed);
        } else {
            // An arrival from outside has a lower number.
            self.unread |= seq > read;
        }
    }

    pub(super) async fn read_inbox(&mut self) -> Result<(), Ended> {
        let read = self.hold.inbox_read.load(Ordering::Relaxed);
        let mut backoff = Backoff::default();
        let page = loop {
            match read_page(&self.hold.session, self.run.run_id, read).await {
                Ok(page) => break page,
                Err(error) => {
                    run_event!(again(&error), self.name(), "the inbox could not be read yet");
                    backoff.wait().await;
                }
            }
        };
        self.unread = page.has_more;
        self.caught_up |= !self.unread;
        self.absorb(page.arrivals);
        self.count_takeovers();
        self.linger(self.hold.session.clock.now());
        Ok(())
    }

    /// Passes arrivals to the machine. Those that it already has change nothing.
    pub(super) fn absorb(&mut self, arrivals: Vec<Arrival>) {
        for Arrival { seq, kind } in arrivals {
            let at = Some(seq);
            match kind {
                ArrivalKind::Signal { name, payload } => {
                    self.machine.deliver_signal(at, name, payload);
                }
                ArrivalKind::Update { name, id, payload } => {
                    self.machine.deliver_update(at, name, id, payload);
                }
                ArrivalKind::Outcome { handle, outcome } => {
                    self.machine.deliver_outcome(at, handle, outcome);
                    // The token of a running attempt may have been used.
                    self.look_for_activities = true;
                }
                ArrivalKind::Retry { handle, attempt, retry_at, failure, details } => {
                    self.machine.deliver_retry(at, handle, attempt, retry_at, failure, details);
                    self.look_for_activities = true;
                }
                ArrivalKind::Heartbeat { handle, attempt, details } => {
                    self.attempts.hear(handle, attempt, details.clone());
                    let now = self.hold.session.clock.now();
                    self.changed |=
                        self.machine.deliver_heartbeat(at, handle, attempt, details, now);
                }
                ArrivalKind::Interruption { handle, attempt } => {
                    self.machine.deliver_interruption(at, handle, attempt);
                }
                ArrivalKind::Cancel { reason } | ArrivalKind::TimedOut { reason } => {
                    self.machine.deliver_cancel(at, reason);
                }
                ArrivalKind::Pause => self.pauses.push(seq),
                ArrivalKind::Unreadable { reason, .. } => {
                    // What follows may depend on it. The machine keeps what was read before.
                    let reason = format!(
                        "arrival {seq} of its inbox cannot be read: {reason}; \
                         `piton run set-aside` moves it to the dead letters"
                    );
                    self.blocked.get_or_insert(BlockedReason::Undecodable(reason));
                }
            }
            self.hold.inbox_read.fetch_max(seq, Ordering::Relaxed);
        }
    }
}

/// A page of the inbox, with the schemas of its values loaded.
async fn read_page(session: &Session, run_id: RunId, after: i64) -> Result<Inbox, StoreError> {
    let store = &*session.store;
    let page = store.read_inbox(run_id, after, INBOX_PAGE).await?;
    let payloads = page.arrivals.iter().filter_map(Arrival::payload);
    evolution::learn_schemas_of(store, payloads).await?;
    Ok(page)
}
