//! The terms requested for a start, option by option.

use std::time::Duration;

use serde::{Deserialize, Serialize};

use super::{Cron, OnTimeout, RetryPolicy, Terms, TimeoutClock, WorkflowRetry};

/// The terms of a run before it starts. Each option is kept separately, so that their order does not matter.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
#[serde(default, deny_unknown_fields)]
pub(crate) struct NewTerms {
    #[serde(skip_serializing_if = "Option::is_none")]
    pub(crate) run_timeout: Option<Duration>,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub(crate) execution_timeout: Option<Duration>,
    /// Has no effect without a timeout.
    #[serde(skip_serializing_if = "TimeoutClock::is_default")]
    pub(crate) clock: TimeoutClock,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub(crate) on_timeout: Option<OnTimeout>,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub(crate) cleanup_timeout: Option<Duration>,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub(crate) retry: Option<RetryPolicy>,
    /// Has no effect without a policy.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub(crate) non_retryable: Vec<String>,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub(crate) cron: Option<String>,
    /// Has no effect without an expression.
    #[serde(skip_serializing_if = "std::ops::Not::not")]
    pub(crate) cron_after_cancel: bool,
    /// Has no effect without an expression.
    #[serde(skip_serializing_if = "std::ops::Not::not")]
    pub(crate) cron_at_once: bool,
}

impl NewTerms {
    /// The terms, without due times; `None` if they have no effect.
    pub(crate) fn into_terms(self) -> Option<Terms> {
        let Self { retry, non_retryable, cron, .. } = self;
        let terms = Terms {
            run_timeout: self.run_timeout,
            execution_timeout: self.execution_timeout,
            clock: self.clock,
            on_timeout: self.on_timeout.unwrap_or_default(),
            cleanup_timeout: self.cleanup_timeout.unwrap_or(Terms::CLEANUP_TIMEOUT),
            retry: retry.map(|policy| WorkflowRetry { policy, non_retryable }),
            cron: cron.map(|expression| Cron {
                expression,
                goes_on_after_cancel: self.cron_after_cancel,
                begins_at_once: self.cron_at_once,
            }),
            ..Terms::default()
        };
        (!terms.is_empty()).then_some(terms)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn only_what_has_an_effect_makes_terms() {
        assert_eq!(NewTerms::default().into_terms(), None);
        let idle = NewTerms {
            clock: TimeoutClock::Attended,
            on_timeout: Some(OnTimeout::Cancel),
            cleanup_timeout: Some(Duration::from_secs(1)),
            non_retryable: vec!["Declined".to_owned()],
            cron_after_cancel: true,
            cron_at_once: true,
            ..NewTerms::default()
        };
        assert_eq!(idle.clone().into_terms(), None);
        let policy = RetryPolicy::DEFAULT;
        let terms = NewTerms { retry: Some(policy.clone()), ..idle.clone() }.into_terms();
        let retry = WorkflowRetry { policy, non_retryable: vec!["Declined".to_owned()] };
        assert_eq!(terms.and_then(|terms| terms.retry), Some(retry));
        let terms = NewTerms { cron: Some("@daily".to_owned()), ..idle }.into_terms();
        let cron = terms.and_then(|terms| terms.cron).expect("there is an expression");
        assert!(cron.goes_on_after_cancel && cron.begins_at_once);
    }

    #[test]
    fn what_is_not_set_is_not_stored() {
        let terms =
            NewTerms { run_timeout: Some(Duration::from_millis(1_500)), ..NewTerms::default() };
        let json = serde_json::to_string(&terms).expect("terms have a JSON form");
        assert_eq!(json, r#"{"run_timeout":{"secs":1,"nanos":500000000}}"#);
        assert_eq!(serde_json::from_str::<NewTerms>(&json).expect("it can be read"), terms);
        serde_json::from_str::<NewTerms>(r#"{"wishes": 3}"#).expect_err("nobody knows it");
    }
}
