//! The results of attempts of activities.

use super::Machine;
use crate::model::{
    ActivityOperation, AttemptFailure, AwaitedToken, Handle, Operation, Payload, Timestamp,
    pause_after_interruptions,
};

impl Machine {
    /// Records the failure of attempt number `attempt` of an activity, when the next one is due, and details for
    /// it; without details, it gets those that came before.
    pub fn deliver_retry(
        &mut self,
        seq: Option<i64>,
        handle: Handle,
        attempt: u32,
        retry_at: Timestamp,
        failure: String,
        details: Option<Payload>,
    ) {
        self.deliver_attempt(seq, handle, attempt, |activity| {
            activity.retry_at = Some(retry_at);
            activity.last_failure = Some(AttemptFailure::new(attempt, failure));
            activity.details = details.or(activity.details.take());
        });
    }

    /// Records that attempt number `attempt` of an activity was interrupted, which is not a failure.
    pub fn deliver_interruption(&mut self, seq: Option<i64>, handle: Handle, attempt: u32) {
        self.deliver_attempt(seq, handle, attempt, |activity| activity.interruptions += 1);
    }

    /// Counts an ended attempt and changes its activity, unless the attempt is counted already or the activity is
    /// no longer outstanding.
    fn deliver_attempt(
        &mut self,
        seq: Option<i64>,
        handle: Handle,
        attempt: u32,
        change: impl FnOnce(&mut ActivityOperation),
    ) {
        self.cx.with_arrivals(|arrivals| arrivals.consume(seq));
        self.cx.with_operations(|operations| {
            let Ok(index) = operations.binary_search_by_key(&handle, |(handle, _)| *handle) else {
                return;
            };
            if let Operation::Activity(activity) = &mut operations[index].1
                && activity.attempts < attempt
            {
                let passed_over = activity.awaited.take().map_or(0, |awaited| awaited.takeovers);
                activity.attempts = attempt.saturating_add(passed_over);
                activity.passed_over = activity.passed_over.saturating_add(passed_over);
                change(activity);
            }
        });
    }

    /// Records that attempt number `attempt` of an activity continues without its function.
    pub fn await_token(&mut self, handle: Handle, attempt: u32, awaited: AwaitedToken) {
        self.change_attempt(handle, attempt, |activity| activity.awaited = Some(awaited));
    }

    /// Records the heartbeat of attempt number `attempt` of an activity at `now`. Returns whether that attempt is
    /// the current one.
    pub fn deliver_heartbeat(
        &mut self,
        seq: Option<i64>,
        handle: Handle,
        attempt: u32,
        details: Payload,
        now: Timestamp,
    ) -> bool {
        self.cx.with_arrivals(|arrivals| arrivals.consume(seq));
        self.change_attempt(handle, attempt, |activity| {
            activity.details = Some(details);
            if let Some(awaited) = &mut activity.awaited {
                awaited.heard_at = now;
            }
        })
    }

    /// Changes an activity whose current attempt this is.
    fn change_attempt(
        &mut self,
        handle: Handle,
        attempt: u32,
        change: impl FnOnce(&mut ActivityOperation),
    ) -> bool {
        self.cx.with_operations(|operations| {
            let found = operations.binary_search_by_key(&handle, |(handle, _)| *handle);
            match found.map(|index| &mut operations[index].1) {
                Ok(Operation::Activity(activity)) if activity.attempts + 1 == attempt => {
                    change(activity);
                    true
                }
                _ => false,
            }
        })
    }

    /// Whether the result of attempt number `attempt` of an activity can still count.
    pub fn is_wanted(&self, handle: Handle, attempt: u32) -> bool {
        self.with_activity(handle, |activity| activity.attempts < attempt) == Some(true)
            && self.cx.with_arrivals(|arrivals| !arrivals.has_outcome(handle))
    }

    /// Records that the run was taken over this many times. A running attempt was interrupted. If a retry after
    /// `now` was pending, probably none was running; but a previous owner that is alive may begin it by its own
    /// clock before it learns of the takeover, so its number is skipped. Returns whether anything changed.
    pub fn count_takeovers(&mut self, takeovers: u32, now: Timestamp) -> bool {
        let mut changed = false;
        // No worker has begun these.
        let mut held_back = self.held_back(|_| false);
        held_back.sort_unstable();
        self.cx.with_operations(|operations| {
            self.cx.with_arrivals(|arrivals| {
                for (handle, operation) in operations {
                    let Operation::Activity(activity) = operation else { continue };
                    if activity.queue.is_some()
                        || arrivals.has_outcome(*handle)
                        || held_back.binary_search(handle).is_ok()
                    {
                        continue;
                    }
                    changed = takeovers > 0;
                    if let Some(awaited) = &mut activity.awaited {
                        awaited.takeovers = awaited.takeovers.saturating_add(takeovers);
                        continue;
                    }
                    // An owner commits the count before it begins an attempt, so of several takeovers since the
                    // last commit only the first can have interrupted one.
                    let waited = activity.retry_at.is_some_and(|retry_at| retry_at > now);
                    let interrupted = u32::from(takeovers > 0 && !waited);
                    activity.interruptions = activity.interruptions.saturating_add(interrupted);
                    let passed_over = takeovers - interrupted;
                    activity.passed_over = activity.passed_over.saturating_add(passed_over);
                    activity.attempts = activity.attempts.saturating_add(takeovers);
                    let close_by =
                        activity.schedule_to_close.map(|limit| activity.scheduled_at + limit);
                    if let Some(pause) = pause_after_interruptions(activity.interruptions)
                        && interrupted > 0
                        && close_by.is_none_or(|close_by| now + pause < close_by)
                    {
                        activity.retry_at = Some(now + pause);
                    }
                }
            });
        });
        changed
    }
}
