//! Log events while the database is away: few, however many callers try again.

use std::sync::Mutex;
use std::sync::PoisonError;
use std::sync::atomic::{AtomicBool, Ordering};
use std::time::{Duration, Instant};

use tracing::{info, warn};

use crate::error::{StoreError, with_causes};

/// The shortest time between two warnings.
const BETWEEN_WARNINGS: Duration = Duration::from_secs(10);

/// What the callers of this process have seen of the database. Shared by all stores of the process, which are
/// seldom more than one.
static OUTAGE: Outage = Outage::new();

/// Notes an error of the store. Returns whether it is one that another try may not meet; such an error is reported
/// here, so the caller reports its own failure with less emphasis.
pub(crate) fn is_away(error: &StoreError) -> bool {
    if !error.is_retryable() {
        return false;
    }
    match OUTAGE.failed(Instant::now()) {
        Some(away) if away.is_zero() => warn!(
            error = %with_causes(error),
            "the database does not answer; it is tried again until it does"
        ),
        Some(away) => warn!(
            error = %with_causes(error),
            ?away,
            "the database still does not answer"
        ),
        None => {}
    }
    true
}

/// Notes the final result of a caller.
pub(crate) fn note<T>(result: &Result<T, StoreError>) {
    match result {
        Err(error) if is_away(error) => {}
        // Other errors are answers, too.
        _ => answered(),
    }
}

/// Notes that the store has answered. Costs one atomic load if it was not away.
pub(crate) fn answered() {
    if let Some(away) = OUTAGE.answered(Instant::now()) {
        info!(?away, "the database answers again");
    }
}

/// `tried_again!(error, fields and message)`: the event that something failed, and will be tried again. At the
/// level debug if the database is away, which has [an event of its own](is_away); otherwise a warning.
macro_rules! tried_again {
    ($error:expr, $($rest:tt)*) => {{
        let error: &$crate::error::StoreError = $error;
        let causes = $crate::error::with_causes(error);
        if $crate::engine::outage::is_away(error) {
            tracing::debug!(error = %causes, $($rest)*)
        } else {
            tracing::warn!(error = %causes, $($rest)*)
        }
    }};
}

pub(crate) use tried_again;

struct Outage {
    is_away: AtomicBool,
    state: Mutex<State>,
}

#[derive(Clone, Copy)]
struct State {
    /// When the first of the failures since the last answer was noted.
    since: Option<Instant>,
    warned_at: Option<Instant>,
    /// Whether there was a warning since the last answer.
    is_reported: bool,
}

impl Outage {
    const fn new() -> Self {
        let state = State { since: None, warned_at: None, is_reported: false };
        Self { is_away: AtomicBool::new(false), state: Mutex::new(state) }
    }

    /// Returns how long the database has been away if that is to be reported now.
    fn failed(&self, now: Instant) -> Option<Duration> {
        // The state is consistent after every operation, so a poisoned lock is usable.
        let mut state = self.state.lock().unwrap_or_else(PoisonError::into_inner);
        self.is_away.store(true, Ordering::Release);
        let since = *state.since.get_or_insert(now);
        if state.warned_at.is_some_and(|at| now.saturating_duration_since(at) < BETWEEN_WARNINGS) {
            return None;
        }
        state.warned_at = Some(now);
        state.is_reported = true;
        Some(now.saturating_duration_since(since))
    }

    /// Returns how long the database was away if that was reported.
    fn answered(&self, now: Instant) -> Option<Duration> {
        if !self.is_away.load(Ordering::Acquire) {
            return None;
        }
        let mut state = self.state.lock().unwrap_or_else(PoisonError::into_inner);
        self.is_away.store(false, Ordering::Release);
        let since = state.since.take()?;
        std::mem::take(&mut state.is_reported).then(|| now.saturating_duration_since(since))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn many_failures_are_one_warning_every_ten_seconds_and_one_answer() {
        let (outage, began) = (Outage::new(), Instant::now());
        let at = |millis| began + Duration::from_millis(millis);
        assert_eq!(outage.answered(at(0)), None);
        // A hundred callers, each with ten tries a second.
        let mut warnings = Vec::new();
        for millis in 0..30_500 {
            warnings.extend(outage.failed(at(millis)));
        }
        assert_eq!(warnings, [0, 10, 20, 30].map(Duration::from_secs));
        assert_eq!(outage.answered(at(31_000)), Some(Duration::from_secs(31)));
        assert_eq!(outage.answered(at(31_000)), None);
    }

    /// For example, of two transactions that were rolled back because they disturbed others.
    #[test]
    fn failures_between_answers_are_no_more_than_one_warning_every_ten_seconds() {
        let (outage, began) = (Outage::new(), Instant::now());
        let (mut warnings, mut answers) = (0, 0);
        for second in 0..100 {
            let now = began + Duration::from_secs(second);
            warnings += usize::from(outage.failed(now).is_some());
            answers += usize::from(outage.answered(now).is_some());
        }
        assert_eq!((warnings, answers), (10, 10));
    }
}
