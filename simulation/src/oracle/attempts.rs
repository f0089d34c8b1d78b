//! The properties of attempts, checked when an attempt begins.

use std::collections::BTreeSet;
use std::time::Duration;

use piton::activities::ActivityInfo;
use piton::model::{Payload, Snapshot, Timestamp};
use piton::store::ActivityKey;
use tokio::time::Instant;

use super::Oracle;
use crate::program::{Kind, MAX_ATTEMPTS, Trouble, Work};

/// The record of a call.
#[derive(Debug, Default)]
pub(super) struct Call {
    /// The numbers of the attempts that have begun.
    begun: BTreeSet<u32>,
    /// The number of them that were made to fail or hang.
    troubled: u32,
    /// The heartbeats of its attempts.
    said: BTreeSet<(u32, u64)>,
    /// Whether it writes notes.
    pub(super) is_written: bool,
    /// When its first attempt began, at the earliest, by the database's clock.
    first_at: Option<Timestamp>,
}

impl Call {
    /// Whether all attempts must have ended, by a limit for all of them together.
    fn is_overdue(&mut self, work: &Work, now: Timestamp, slack: Option<Duration>) -> bool {
        let first_at = *self.first_at.get_or_insert(now);
        match (work.kind, slack) {
            (Kind::Within(_, millis), Some(slack)) => {
                first_at + Duration::from_millis(millis) + slack < now
            }
            _ => false,
        }
    }
}

/// An attempt that begins.
#[derive(Debug)]
pub(crate) struct Beginning<'a> {
    /// Which one.
    pub(crate) info: &'a ActivityInfo,
    /// Its work.
    pub(crate) work: &'a Work,
    /// The run's committed snapshot.
    pub(crate) snapshot: Option<Snapshot>,
    /// The name of the process that makes it.
    pub(crate) who: &'a str,
    /// The database's time.
    pub(crate) now: Timestamp,
    /// How late it may be; `None` if a fault may have delayed it.
    pub(crate) slack: Option<Duration>,
}

impl Oracle {
    /// Checks an attempt that begins. Returns whether it shall fail or hang.
    pub(crate) fn attempt_begins(&mut self, beginning: &Beginning<'_>) -> bool {
        let Beginning { info, work, snapshot, who, now, slack } = beginning;
        let is_stopped = self.shutdowns.is_told(who);
        let lease = self.processes.get(*who).copied();
        let is_late = lease.is_none_or(|(_, until)| until <= Instant::now());
        let key = ActivityKey { run_id: info.run_id, handle: info.handle };
        let on_queue = self.queues.interruptions(key);
        let mut is_troubled = false;
        self.check(info.run_id, |run| {
            let most = MAX_ATTEMPTS + run.interruptions + on_queue;
            let is_owner = run.owner.is_some() && run.owner == lease.map(|(worker, _)| worker);
            let is_local = work.queue().is_none();
            let is_once = matches!(work.kind, Kind::Once | Kind::QueuedOnce);
            let (handle, attempt) = (info.handle.0, info.attempt);
            let is_committed = run.is_closed
                || snapshot.as_ref().is_some_and(|snapshot| snapshot.next_handle > handle);
            let call = run.calls.entry(info.handle).or_default();
            call.is_written |= work.kind == Kind::Written;
            let has_begun = !call.begun.is_empty();
            let is_overdue = call.is_overdue(work, *now, *slack);
            // A relaxed run may repeat the attempts after its checkpoint.
            let is_ahead = run.is_relaxed && is_local && !(is_committed && is_owner);
            let is_new = is_ahead || call.begun.insert(attempt);
            is_troubled = match work.trouble {
                Trouble::None => false,
                Trouble::Fails(times) | Trouble::Hangs(times) => call.troubled < times,
                Trouble::AlwaysFails => true,
            };
            call.troubled += u32::from(is_troubled);
            if is_late {
                return Some(format!("call {handle} has begun after the lease of {who}"));
            }
            if is_stopped {
                return Some(format!("call {handle} has begun after {who} was to shut down"));
            }
            if is_overdue {
                return Some(format!("call {handle} has begun after all its attempts had to end"));
            }
            if !is_new {
                return Some(format!("attempt {attempt} of call {handle} has begun twice"));
            }
            if is_once && has_begun {
                return Some(format!("call {handle}, to be made once, has begun again"));
            }
            if call.begun.len() > most as usize {
                return Some(format!("call {handle} was tried more than {most} times"));
            }
            let is_held = is_once || work.kind == Kind::Written || !is_local;
            if !is_committed && (is_held || !run.is_relaxed) {
                return Some(format!("call {handle} has begun before its state was committed"));
            }
            let durable = snapshot.as_ref().map_or(0, |snapshot| snapshot.steps);
            let ahead = u64::from(work.awaited + 1).saturating_sub(durable);
            if !run.is_closed && is_owner && ahead > MAX_AHEAD {
                return Some(format!("call {handle} has begun {ahead} steps ahead"));
            }
            None
        });
        is_troubled
    }

    /// Checks an attempt that ends by itself.
    pub(crate) fn attempt_ends(&mut self, ending: &Beginning<'_>) {
        let Beginning { info, work, now, slack, .. } = *ending;
        self.check(info.run_id, |run| {
            let call = run.calls.entry(info.handle).or_default();
            let is_overdue = call.is_overdue(work, now, slack);
            is_overdue.then(|| format!("call {} went on after its end", info.handle.0))
        });
    }

    /// Records a heartbeat.
    pub(crate) fn attempt_says(&mut self, info: &ActivityInfo, said: (u32, u64)) {
        self.check(info.run_id, |run| {
            run.calls.entry(info.handle).or_default().said.insert(said);
            None
        });
    }

    /// Checks the details of an ended attempt that are written for the next one.
    pub(super) fn attempt_told(
        &mut self,
        key: ActivityKey,
        attempt: u32,
        details: Option<&Payload>,
    ) {
        let told = details.and_then(|details| piton::codec::from_payload(details).ok());
        self.check(key.run_id, |run| {
            let said = &run.calls.get(&key.handle)?.said;
            let last = *said.range((attempt, 0)..=(attempt, u64::MAX)).next_back()?;
            let told: Option<(u32, u64)> = told;
            let handle = key.handle.0;
            (told != Some(last)).then(|| {
                format!("attempt {attempt} of call {handle} has said {last:?}, and tells {told:?}")
            })
        });
    }

    /// Checks the details that an attempt gets from earlier ones.
    pub(crate) fn attempt_knows(&mut self, info: &ActivityInfo, known: Option<(u32, u64)>) {
        let key = ActivityKey { run_id: info.run_id, handle: info.handle };
        let written = self.queues.details(key, info.attempt);
        self.check(info.run_id, |run| {
            let call = run.calls.entry(info.handle).or_default();
            let was_said = known.is_none_or(|known| call.said.contains(&known));
            let (handle, attempt) = (info.handle.0, info.attempt);
            let is_right = was_said && known >= written;
            let knows = || format!("attempt {attempt} of call {handle} knows {known:?}");
            (!is_right).then(|| format!("{}, and {written:?} was written", knows()))
        });
    }
}

/// By how many steps relaxed runs may be ahead, as their workflow says.
const MAX_AHEAD: u64 = 3;
