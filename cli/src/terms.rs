//! Options for starting runs: timeouts, retries, attributes and memo.

use std::time::Duration;

use piton::model::{
    AttributeChanges, AttributeValue, Memo, OnTimeout, RetryPolicy, TimeoutClock, WorkflowRetry,
};
use piton::schedule::parse_duration;
use serde_json::{Map, Value};

/// The options of a start, besides the arguments.
#[derive(clap::Args)]
pub(crate) struct TermsArgs {
    /// The time limit of a run with all runs that follow it; `none` means no limit
    #[arg(long, value_name = "DURATION", value_parser = limit)]
    pub(crate) execution_timeout: Option<Limit>,
    /// The time limit of each run; `none` means no limit
    #[arg(long, value_name = "DURATION", value_parser = limit)]
    pub(crate) run_timeout: Option<Limit>,
    /// The time that the timeouts count: `calendar` all time, `attended` only time with a worker that has the code;
    /// calendar by default
    #[arg(long, value_name = "CLOCK", value_parser = timeout_clock)]
    pub(crate) timeout_clock: Option<TimeoutClock>,
    /// What happens when a timeout has passed: terminate or cancel; terminate by default
    #[arg(long, value_name = "WORD", value_parser = on_timeout)]
    pub(crate) on_timeout: Option<OnTimeout>,
    /// How long a run may clean up after a timeout; 10 minutes by default
    #[arg(long, value_name = "DURATION", value_parser = duration)]
    pub(crate) cleanup_timeout: Option<Duration>,
    #[command(flatten)]
    retry: RetryArgs,
    /// Attributes as JSON, such as `{"customer": "c-17", "cents": 1250}`: a string is a keyword, `{"text": "…"}` a
    /// longer text, null removes the attribute
    #[arg(long, value_name = "JSON", value_parser = attributes)]
    pub(crate) attributes: Option<AttributeChanges>,
    /// The memo as JSON, such as `{"why": "monthly"}`
    #[arg(long, value_name = "JSON", value_parser = memo)]
    pub(crate) memo: Option<Memo>,
}

/// When a run is retried. Giving one of these options sets the whole policy.
#[derive(clap::Args)]
struct RetryArgs {
    /// Retry a run that fails or times out, up to this number of runs; 0 means no limit, 1 no retries
    #[arg(long, value_name = "COUNT")]
    max_attempts: Option<u32>,
    /// The wait before the second attempt; 1s by default
    #[arg(long, value_name = "DURATION", value_parser = duration)]
    retry_interval: Option<Duration>,
    /// The factor of each further wait; 2 by default
    #[arg(long, value_name = "FACTOR")]
    retry_backoff: Option<f64>,
    /// The longest wait; 100 times the first by default
    #[arg(long, value_name = "DURATION", value_parser = duration)]
    max_retry_interval: Option<Duration>,
    /// An error that is not retried; may be given several times
    #[arg(long, value_name = "ERROR")]
    non_retryable: Vec<String>,
}

/// A time that may be infinite.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct Limit(pub(crate) Option<Duration>);

impl TermsArgs {
    /// Whether none of the options is given.
    pub(crate) fn is_empty(&self) -> bool {
        let Self {
            execution_timeout,
            run_timeout,
            timeout_clock,
            on_timeout,
            cleanup_timeout,
            retry: _,
            attributes,
            memo,
        } = self;
        let timeouts =
            execution_timeout.is_none() && run_timeout.is_none() && cleanup_timeout.is_none();
        let rules = timeout_clock.is_none() && on_timeout.is_none() && self.retry().is_none();
        timeouts && rules && attributes.is_none() && memo.is_none()
    }

    /// The retry policy, if any of its options is given.
    pub(crate) fn retry(&self) -> Option<WorkflowRetry> {
        let RetryArgs {
            max_attempts,
            retry_interval,
            retry_backoff,
            max_retry_interval,
            non_retryable,
        } = &self.retry;
        let is_set = max_attempts.is_some()
            || retry_interval.is_some()
            || retry_backoff.is_some()
            || max_retry_interval.is_some()
            || !non_retryable.is_empty();
        let default = RetryPolicy::DEFAULT;
        let policy = RetryPolicy {
            max_attempts: max_attempts.unwrap_or(default.max_attempts),
            initial_interval: retry_interval.unwrap_or(default.initial_interval),
            backoff: retry_backoff.unwrap_or(default.backoff),
            max_interval: *max_retry_interval,
            ..default
        };
        is_set.then(|| WorkflowRetry { policy, non_retryable: non_retryable.clone() })
    }
}

pub(crate) fn duration(text: &str) -> Result<Duration, String> {
    parse_duration(text)
}

pub(crate) fn limit(text: &str) -> Result<Limit, String> {
    match text {
        "none" => Ok(Limit(None)),
        text => duration(text).map(|limit| Limit(Some(limit))),
    }
}

fn on_timeout(word: &str) -> Result<OnTimeout, String> {
    match word {
        "terminate" => Ok(OnTimeout::Terminate),
        "cancel" => Ok(OnTimeout::Cancel),
        _ => Err("write terminate or cancel".to_owned()),
    }
}

pub(crate) fn timeout_clock(word: &str) -> Result<TimeoutClock, String> {
    match word {
        "calendar" => Ok(TimeoutClock::Calendar),
        "attended" => Ok(TimeoutClock::Attended),
        _ => Err("write calendar or attended".to_owned()),
    }
}

fn memo(text: &str) -> Result<Memo, String> {
    serde_json::from_str(text).map_err(|error| error.to_string())
}

fn attributes(text: &str) -> Result<AttributeChanges, String> {
    let values: Map<String, Value> =
        serde_json::from_str(text).map_err(|error| error.to_string())?;
    let mut changes = AttributeChanges::new();
    for (name, value) in values {
        let value = attribute(value).map_err(|error| format!("attribute `{name}`: {error}"))?;
        changes.put(name, value);
    }
    Ok(changes)
}

fn attribute(value: Value) -> Result<Option<AttributeValue>, String> {
    let read = |value: Value| serde_json::from_value(value).map_err(|error| error.to_string());
    Ok(Some(match value {
        Value::Null => return Ok(None),
        Value::Bool(truth) => AttributeValue::Bool(truth),
        Value::String(word) => AttributeValue::Keyword(word),
        Value::Number(number) => match (number.as_i64(), number.as_f64()) {
            (Some(number), _) => AttributeValue::Integer(number),
            (None, Some(number)) => AttributeValue::Float(number),
            (None, None) => return Err(format!("the number {number} is too large")),
        },
        Value::Array(words) => {
            let words: Result<Vec<String>, _> =
                words.into_iter().map(serde_json::from_value).collect();
            AttributeValue::Keywords(words.map_err(|error| error.to_string())?)
        }
        Value::Object(typed) => read(Value::Object(typed))?,
    }))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn attributes_have_the_kinds_of_their_json() {
        let json = r#"{"a": "x", "b": ["x", "y"], "c": 3, "d": 0.5, "e": true, "f": {"text": "long"}, "g": null}"#;
        let expected = AttributeChanges::new()
            .with("a", "x")
            .with("b", vec!["x".to_owned(), "y".to_owned()])
            .with("c", 3)
            .with("d", 0.5)
            .with("e", true)
            .with("f", AttributeValue::Text("long".to_owned()))
            .with("g", None::<&str>);
        assert_eq!(attributes(json), Ok(expected));
        for (json, error) in [
            ("[]", "invalid type"),
            (r#"{"a": [1]}"#, "attribute `a`: invalid type: integer `1`"),
            (r#"{"a": {"word": "x"}}"#, "attribute `a`: unknown variant `word`"),
        ] {
            let found = attributes(json).expect_err(json);
            assert!(found.contains(error), "{json}: {found}");
        }
    }

    #[test]
    fn a_limit_may_be_none() {
        assert_eq!(limit("none"), Ok(Limit(None)));
        assert_eq!(limit("90s"), Ok(Limit(Some(Duration::from_secs(90)))));
        limit("soon").expect_err("it is no time");
    }
}
