//! The ending of a run while its compensations run.

use serde::{Deserialize, Serialize};

use super::{Handle, Payload, RunStatus};

/// The result of the run's code, kept until its compensations have run. Then the run closes.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct Ending {
    /// The status with which the run closes if no compensation fails: failed or cancelled.
    pub status: RunStatus,
    /// The encoded return value, if the code returned one.
    pub result: Option<Payload>,
    /// Why the run did not complete, for people.
    pub failure: String,
    /// The running compensation.
    pub current: Option<Compensating>,
    /// The compensations that have finally failed, in the order of their execution.
    pub failed: Vec<FailedCompensation>,
}

/// A running compensation.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Compensating {
    /// The outstanding activity.
    pub handle: Handle,
    /// Whether its return value may be an error.
    pub may_fail: bool,
}

/// A compensation that has finally failed.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct FailedCompensation {
    /// The activity's stored name.
    pub activity: String,
    /// Why it failed, for people.
    pub error: String,
}

impl Ending {
    /// How the run closes: its status, its return value, and why it did not complete. If a compensation has failed,
    /// the run has failed.
    pub fn close(self) -> (RunStatus, Option<Payload>, String) {
        let Self { status, result, mut failure, failed, .. } = self;
        if failed.is_empty() {
            return (status, result, failure);
        }
        if status == RunStatus::Cancelled {
            failure.insert_str(0, "cancelled: ");
        }
        for FailedCompensation { activity, error } in failed {
            failure.push_str(&format!("; the compensation `{activity}` failed: {error}"));
        }
        (RunStatus::Failed, result, failure)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn ending(failed: &[&str]) -> Ending {
        let failed = failed.iter().map(|activity| FailedCompensation {
            activity: (*activity).to_owned(),
            error: "closed on Sundays".to_owned(),
        });
        Ending {
            status: RunStatus::Cancelled,
            result: None,
            failure: "enough".to_owned(),
            current: None,
            failed: failed.collect(),
        }
    }

    #[test]
    fn a_compensation_that_fails_makes_the_run_a_failed_one_with_all_errors() {
        assert_eq!(ending(&[]).close(), (RunStatus::Cancelled, None, "enough".to_owned()));
        let (status, _, failure) = ending(&["refund", "release"]).close();
        assert_eq!(status, RunStatus::Failed);
        assert_eq!(
            failure,
            "cancelled: enough; the compensation `refund` failed: closed on Sundays; the compensation `release` \
             failed: closed on Sundays"
        );
    }
}
