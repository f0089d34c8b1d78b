//! Cron expressions that repeat a workflow.

use serde::{Deserialize, Serialize};

use super::{RunStatus, Timestamp};

/// A cron expression that repeats a workflow.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Cron {
    /// The expression.
    pub expression: String,
    /// Whether to continue after a run that was cancelled.
    pub goes_on_after_cancel: bool,
    /// Whether the first run is due when it is started, and not at the first time of the expression.
    #[serde(default, skip_serializing_if = "std::ops::Not::not")]
    pub begins_at_once: bool,
}

impl Cron {
    /// Whether a run with this status is followed by another.
    pub fn goes_on_after(&self, status: RunStatus) -> bool {
        match status {
            RunStatus::Completed | RunStatus::Failed | RunStatus::TimedOut => true,
            RunStatus::Cancelled => self.goes_on_after_cancel,
            _ => false,
        }
    }

    /// When the first run is due that is started `now` and may begin at `start_at`: the first later time of the
    /// expression, or the first that is not before `start_at`. `None` is at once.
    ///
    /// # Errors
    /// What is wrong with the expression, or that there is no such time, for people.
    pub(crate) fn first_due(
        &self,
        now: Timestamp,
        start_at: Option<Timestamp>,
    ) -> Result<Option<Timestamp>, String> {
        if self.begins_at_once {
            // An expression that cannot be read is refused nevertheless.
            return self.next_after(now).map(|_| start_at);
        }
        let after = match start_at.filter(|start_at| *start_at > now) {
            Some(start_at) => Timestamp(start_at.as_micros() - 1),
            None => now,
        };
        let due_at = self.next_after(after)?;
        due_at.map(Some).ok_or_else(|| format!("it has no time after {}", start_at.unwrap_or(now)))
    }

    /// The first time of the expression after `after`, if there is one.
    ///
    /// # Errors
    /// What is wrong with the expression, for people.
    #[cfg(feature = "schedules")]
    pub(crate) fn next_after(&self, after: Timestamp) -> Result<Option<Timestamp>, String> {
        use piton_schedule::{Spec, UnixSeconds};

        let times = Spec::new().cron(&self.expression).compile();
        let times = times.map_err(|error| error.to_string())?;
        let next = times.next(UnixSeconds::from_micros(after.as_micros()));
        Ok(next.map(|at| Timestamp(at.as_micros())))
    }

    /// Without the feature `schedules` expressions cannot be read.
    ///
    /// # Errors
    /// Always.
    #[cfg(not(feature = "schedules"))]
    pub(crate) fn next_after(&self, _: Timestamp) -> Result<Option<Timestamp>, String> {
        Err("cron expressions are read by builds with the feature `schedules` of piton".to_owned())
    }
}

#[cfg(all(test, feature = "schedules"))]
mod tests {
    use super::*;

    fn at(minutes: i64) -> Timestamp {
        Timestamp(minutes * 60_000_000)
    }

    #[test]
    fn the_first_run_is_due_at_the_first_time_that_it_may_begin_at() {
        let hourly = Cron {
            expression: "@hourly".into(),
            goes_on_after_cancel: false,
            begins_at_once: false,
        };
        let micro = |at: Timestamp, more: i64| Timestamp(at.as_micros() + more);
        for (now, start_at, due_at) in [
            (at(30), None, at(60)),
            (at(60), None, at(120)),
            (micro(at(60), -1), None, at(60)),
            (at(30), Some(at(90)), at(120)),
            (at(30), Some(at(120)), at(120)),
            (at(30), Some(micro(at(120), 1)), at(180)),
            // A time that has passed is no bound.
            (at(61), Some(at(0)), at(120)),
            (at(60), Some(at(60)), at(120)),
        ] {
            assert_eq!(hourly.first_due(now, start_at), Ok(Some(due_at)), "{now} {start_at:?}");
        }
        let at_once = Cron { begins_at_once: true, ..hourly.clone() };
        assert_eq!(at_once.first_due(at(30), None), Ok(None));
        assert_eq!(at_once.first_due(at(30), Some(at(31))), Ok(Some(at(31))));
        let over = Cron { expression: "0 0 1 1 * 1970".into(), ..hourly };
        let reason = over.first_due(at(30), None).expect_err("it was due half an hour ago");
        assert_eq!(reason, "it has no time after 1970-01-01T00:30:00Z");
    }
}
