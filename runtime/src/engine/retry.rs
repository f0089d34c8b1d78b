//! The consequence of an ended attempt: retry, failure or outcome.

use std::convert::Infallible;
use std::fmt;
use std::time::Duration;

use crate::activities::ActivityReport;
use crate::codec::CodecError;
use crate::machine::{ActivityError, OperationOutcome, TimeoutKind};
use crate::model::{ActivityOperation, BlockedReason, Handle, RunId, Timestamp, recorded};

/// The number of interrupted attempts after which an activity is given up, since an attempt that kills its process
/// must not do so forever.
pub(crate) const MAX_INTERRUPTIONS: u32 = 10;

/// How an attempt ended.
#[derive(Debug)]
pub(crate) enum AttemptResult {
    /// The function returned, or its arguments or return value could not be read or written.
    Reported(Result<ActivityReport, CodecError>),
    /// It took too long.
    TimedOut(TimeoutKind),
    /// It panicked.
    Panicked(Panic),
    /// It could not be made, with a message for people.
    Unusable(String),
    /// Its writes and its outcome are committed.
    Committed {
        /// The outcome's number in the run's inbox.
        seq: i64,
        /// The outcome.
        outcome: OperationOutcome,
    },
    /// Its writes and its outcome may or may not be committed; the inbox shows which.
    Uncertain,
    /// Nothing was written, because the run has another owner or is closed; or the attempt was not begun, because
    /// the worker's lease has expired.
    Lost,
    /// The function has returned without a result; the attempt continues until its token is used.
    Later {
        /// The rest of its time limit, if it has one.
        left: Option<Duration>,
    },
}

/// The panic of a function.
#[derive(Debug)]
pub(crate) struct Panic {
    /// The panic message.
    pub(crate) message: String,
    /// Whether the activity must not be retried after it.
    pub(crate) is_final: bool,
}

impl fmt::Display for Panic {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.message)
    }
}

/// What follows from the end of an attempt.
#[derive(Debug, PartialEq)]
pub(crate) enum Conclusion {
    /// The workflow gets the outcome.
    Outcome(OperationOutcome),
    /// Another attempt follows.
    Retry {
        /// When.
        retry_at: Timestamp,
        /// The failure, for people.
        failure: String,
    },
    /// The run is blocked until a build can continue it.
    Block(BlockedReason),
}

impl AttemptResult {
    /// The failure, for people, if there is one.
    pub(crate) fn failure(&self) -> Option<String> {
        match self {
            Self::Reported(Ok(report)) => Some(report.error.as_ref()?.message.clone()),
            Self::Reported(Err(error)) => Some(error.to_string()),
            Self::TimedOut(limit) => {
                Some(ActivityError::<Infallible>::TimedOut(*limit).to_string())
            }
            Self::Panicked(message) => Some(format!("it panicked: {message}")),
            Self::Unusable(reason) => Some(reason.clone()),
            Self::Committed { .. } | Self::Uncertain | Self::Lost | Self::Later { .. } => None,
        }
    }
}

impl Conclusion {
    /// When the next attempt is due, if there is one.
    pub(crate) fn retry_at(&self) -> Option<Timestamp> {
        match self {
            Self::Retry { retry_at, .. } => Some(*retry_at),
            Self::Outcome(_) | Self::Block(_) => None,
        }
    }
}

/// The deadline of all attempts together.
pub(crate) fn deadline(activity: &ActivityOperation) -> Option<Timestamp> {
    activity.schedule_to_close.map(|limit| activity.scheduled_at + limit)
}

/// How often heartbeat details are written at most, if no timeout asks for more. Documented at
/// [`ActivityContext::heartbeat`](crate::activities::ActivityContext::heartbeat).
const LONGEST_THROTTLE: Duration = Duration::from_secs(10);

/// The minimum interval between writes of heartbeats, given the heartbeat timeout.
pub(crate) fn throttle(heartbeat: Option<Duration>) -> Duration {
    heartbeat.map_or(LONGEST_THROTTLE, |limit| limit / 3).min(LONGEST_THROTTLE)
}

/// The first time limit of an attempt that waits for its token, and when it expires. The inner option is empty if
/// there is no limit. `None` if the attempt does not wait for a token.
pub(crate) fn awaited_until(
    activity: &ActivityOperation,
) -> Option<Option<(Timestamp, TimeoutKind)>> {
    let awaited = activity.awaited?;
    let silence = activity.heartbeat.map(|limit| awaited.heard_at + limit);
    let limits = [
        deadline(activity).map(|at| (at, TimeoutKind::ScheduleToClose)),
        awaited.end_by.map(|at| (at, TimeoutKind::StartToClose)),
        silence.map(|at| (at, TimeoutKind::Heartbeat)),
    ];
    Some(limits.into_iter().flatten().min_by_key(|(at, _)| *at))
}

/// Decides what follows from the end of attempt number `attempt`. `draw`, from 0 to 1, is the fraction of the
/// policy's jitter by which the wait is shortened.
pub(crate) fn conclude(
    activity: &ActivityOperation,
    attempt: u32,
    result: AttemptResult,
    now: Timestamp,
    draw: f64,
) -> Conclusion {
    let retry_at = |chosen: Option<Duration>| {
        if activity.at_most_once {
            return None;
        }
        let failures = attempt.saturating_sub(activity.interruptions + activity.passed_over);
        let by_policy = activity.retry.delay_after(failures)?;
        let wait = chosen.unwrap_or_else(|| activity.retry.shortened(by_policy, draw));
        let retry_at = now + wait;
        // An attempt that could not end in time is not begun.
        deadline(activity).is_none_or(|deadline| retry_at < deadline).then_some(retry_at)
    };
    match result {
        AttemptResult::Reported(Ok(report)) => {
            let error = report.error.filter(|error| error.is_retryable);
            match error.and_then(|error| Some((retry_at(error.retry_after)?, error.message))) {
                Some((retry_at, failure)) => {
                    Conclusion::Retry { retry_at, failure: recorded(failure) }
                }
                None => Conclusion::Outcome(OperationOutcome::Returned(report.returned)),
            }
        }
        AttemptResult::Reported(Err(error @ CodecError::Decode { .. })) => {
            Conclusion::Block(BlockedReason::Undecodable(format!(
                "the arguments of the activity `{}`: {error}",
                activity.name
            )))
        }
        AttemptResult::Reported(Err(error)) => {
            Conclusion::Outcome(OperationOutcome::Unusable(error.to_string()))
        }
        AttemptResult::TimedOut(kind) => match retry_at(None) {
            Some(retry_at)
                if matches!(kind, TimeoutKind::StartToClose | TimeoutKind::Heartbeat) =>
            {
                Conclusion::Retry { retry_at, failure: "the attempt timed out".to_owned() }
            }
            _ => Conclusion::Outcome(OperationOutcome::TimedOut(kind)),
        },
        AttemptResult::Panicked(panic) => match retry_at(None).filter(|_| !panic.is_final) {
            Some(retry_at) => {
                Conclusion::Retry { retry_at, failure: recorded(format!("it panicked: {panic}")) }
            }
            None => Conclusion::Outcome(OperationOutcome::Panicked(recorded(panic.message))),
        },
        AttemptResult::Unusable(reason) => Conclusion::Outcome(OperationOutcome::Unusable(reason)),
        AttemptResult::Committed { outcome, .. } => Conclusion::Outcome(outcome),
        AttemptResult::Uncertain | AttemptResult::Lost | AttemptResult::Later { .. } => {
            unreachable!("no attempt has ended in a way that something could follow from")
        }
    }
}

/// A number from 0 to 1 that depends only on the attempt, not on the worker.
pub(crate) fn draw(run_id: RunId, handle: Handle, attempt: u32) -> f64 {
    let (high, low) = run_id.as_uuid().as_u64_pair();
    // The constant and the steps are those of SplitMix64 (Steele, Lea, Flood 2014), so results are stable over
    // versions of Rust and of piton.
    let call = high ^ low.rotate_left(32) ^ handle.0.rotate_left(16) ^ u64::from(attempt);
    let mut mixed = call.wrapping_add(0x9e37_79b9_7f4a_7c15);
    mixed = (mixed ^ (mixed >> 30)).wrapping_mul(0xbf58_476d_1ce4_e5b9);
    mixed = (mixed ^ (mixed >> 27)).wrapping_mul(0x94d0_49bb_1331_11eb);
    mixed ^= mixed >> 31;
    // 32 bits are exact in an `f64` and enough for a wait.
    f64::from((mixed >> 32) as u32) / f64::from(u32::MAX)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::activities::ReportedError;
    use crate::model::{Payload, RetryPolicy};

    const NOW: Timestamp = Timestamp(1_000_000);

    fn activity() -> ActivityOperation {
        ActivityOperation {
            name: "charge".into(),
            arguments: Payload::default(),
            retry: RetryPolicy { max_attempts: 3, ..RetryPolicy::DEFAULT },
            start_to_close: None,
            schedule_to_close: None,
            at_most_once: false,
            scheduled_at: NOW,
            attempts: 0,
            interruptions: 0,
            priority: 0,
            partition: String::new(),
            passed_over: 0,
            retry_at: None,
            queue: None,
            schedule_to_start: None,
            heartbeat: None,
            details: None,
            awaited: None,
            last_failure: None,
        }
    }

    fn failing(error: ReportedError) -> AttemptResult {
        AttemptResult::Reported(Ok(ActivityReport {
            returned: Payload(vec![1]),
            error: Some(error),
        }))
    }

    fn declined() -> ReportedError {
        ReportedError { message: "declined".into(), is_retryable: true, retry_after: None }
    }

    fn retry(after: u64) -> Conclusion {
        Conclusion::Retry { retry_at: NOW + Duration::from_secs(after), failure: "declined".into() }
    }

    #[test]
    fn errors_are_retried_until_the_attempts_are_used_up() {
        let conclude = |attempt, error| conclude(&activity(), attempt, failing(error), NOW, 0.0);
        assert_eq!(conclude(1, declined()), retry(1));
        assert_eq!(conclude(2, declined()), retry(2));
        let given_up = Conclusion::Outcome(OperationOutcome::Returned(Payload(vec![1])));
        assert_eq!(conclude(3, declined()), given_up);
        let final_error = ReportedError { is_retryable: false, ..declined() };
        assert_eq!(conclude(1, final_error), given_up);
        let later = ReportedError { retry_after: Some(Duration::from_secs(60)), ..declined() };
        assert_eq!(conclude(1, later), retry(60));
    }

    #[test]
    fn interrupted_attempts_are_not_failures() {
        let activity =
            ActivityOperation { attempts: 2, interruptions: 1, passed_over: 1, ..activity() };
        assert_eq!(conclude(&activity, 4, failing(declined()), NOW, 0.0), retry(2));
    }

    #[test]
    fn nothing_is_retried_past_the_deadline() {
        let close = Some(Duration::from_secs(2));
        let activity = ActivityOperation { schedule_to_close: close, ..activity() };
        assert_eq!(conclude(&activity, 1, failing(declined()), NOW, 0.0), retry(1));
        let timed_out = AttemptResult::TimedOut(TimeoutKind::StartToClose);
        assert_eq!(
            conclude(&activity, 2, timed_out, NOW, 0.0),
            Conclusion::Outcome(OperationOutcome::TimedOut(TimeoutKind::StartToClose))
        );
    }

    #[test]
    fn jitter_shortens_the_wait() {
        let mut activity = activity();
        activity.retry.jitter = 0.5;
        let Conclusion::Retry { retry_at, .. } =
            conclude(&activity, 1, failing(declined()), NOW, 1.0)
        else {
            panic!("is retried");
        };
        assert_eq!(retry_at, NOW + Duration::from_millis(500));
    }

    #[test]
    fn jitter_keeps_within_its_bounds() {
        let wait = |jitter, draw| {
            let mut activity = activity();
            activity.retry.jitter = jitter;
            match conclude(&activity, 1, failing(declined()), NOW, draw) {
                Conclusion::Retry { retry_at, .. } => retry_at.saturating_since(NOW),
                other => panic!("is retried: {other:?}"),
            }
        };
        let run_id = RunId::from(uuid::Uuid::from_u128(7));
        let (least, most) = (Duration::from_millis(800), Duration::from_secs(1));
        for attempt in 0..1_000 {
            let waited = wait(0.2, draw(run_id, Handle(1), attempt));
            assert!((least..=most).contains(&waited), "{waited:?}");
        }
        assert_eq!((wait(0.2, 0.0), wait(0.2, 1.0)), (most, least));
        // The jitter is at most the whole wait.
        assert_eq!((wait(1.0, 1.0), wait(7.0, 1.0)), (Duration::ZERO, Duration::ZERO));
        assert_eq!((wait(-1.0, 1.0), wait(0.0, 1.0)), (most, most));
    }

    #[test]
    fn the_draw_is_spread_and_the_same_for_ever() {
        let run_id = RunId::from(uuid::Uuid::from_u128(7));
        let drawn: Vec<f64> =
            (1..=1_000).map(|attempt| draw(run_id, Handle(attempt % 10), attempt as u32)).collect();
        assert!(drawn.iter().all(|drawn| (0.0..=1.0).contains(drawn)));
        let mean = drawn.iter().sum::<f64>() / 1_000.0;
        assert!((0.45..0.55).contains(&mean), "{mean}");
        assert_eq!(format!("{:.6}", draw(run_id, Handle(3), 1)), "0.602049");
    }

    #[test]
    fn what_may_be_attempted_once_is_not_retried() {
        let activity = ActivityOperation { at_most_once: true, ..activity() };
        let given_up = Conclusion::Outcome(OperationOutcome::Returned(Payload(vec![1])));
        assert_eq!(conclude(&activity, 1, failing(declined()), NOW, 0.0), given_up);
        let timed_out = AttemptResult::TimedOut(TimeoutKind::StartToClose);
        assert_eq!(
            conclude(&activity, 1, timed_out, NOW, 0.0),
            Conclusion::Outcome(OperationOutcome::TimedOut(TimeoutKind::StartToClose))
        );
    }
}
