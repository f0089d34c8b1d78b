//! Ending an attempt of an activity with an error, by its token.

use std::future::IntoFuture;
use std::pin::Pin;

use serde_json::{Value, json};

use super::Client;
use crate::activities::{ActivityReport, ReportedError};
use crate::error::TokenError;
use crate::machine::Activity;
use crate::model::ActivityToken;

/// The end of an attempt with an error, ready to be reported: await it. When the await returns, it is on disk.
#[derive(Debug)]
#[must_use = "nothing is reported until this is awaited"]
pub struct FailActivity {
    client: Client,
    token: ActivityToken,
    error: Error,
    is_retryable: bool,
}

#[derive(Debug)]
enum Error {
    /// A value of the activity's return type, and the activity's stored name.
    Typed(Result<ActivityReport, TokenError>, &'static str),
    Json(Value),
}

impl FailActivity {
    /// The error of an activity as its code reports it.
    pub(super) fn typed<A: Activity>(
        client: Client,
        token: ActivityToken,
        returned: &A::Return,
    ) -> Self {
        let error = Error::Typed(super::activities::report_of::<A>(returned), A::NAME);
        Self { client, token, error, is_retryable: false }
    }

    pub(super) fn json(client: Client, token: ActivityToken, error: &Value) -> Self {
        Self { client, token, error: Error::Json(error.clone()), is_retryable: false }
    }

    /// Lets the activity be tried again, as if its function had returned the error: as far as the retry policy and the
    /// activity's `retryable` allow. Only the activity's code knows which errors are final, so an error given as JSON
    /// counts as one that is not. Default: the error ends the activity.
    pub fn retryable(self) -> Self {
        Self { is_retryable: true, ..self }
    }

    async fn report(self) -> Result<(), TokenError> {
        let Self { client, token, error, is_retryable } = self;
        match error {
            Error::Typed(report, activity) => {
                let mut report = report?;
                let error = report.error.iter_mut();
                error.for_each(|error| error.is_retryable &= is_retryable);
                client.end_attempt_of(activity, token, report).await
            }
            Error::Json(error) => {
                let message = error.as_str().map_or_else(|| error.to_string(), str::to_owned);
                let reported = ReportedError { message, is_retryable, retry_after: None };
                client.end_attempt_json(token, &json!({ "Err": error }), Some(reported)).await
            }
        }
    }
}

impl IntoFuture for FailActivity {
    type Output = Result<(), TokenError>;
    type IntoFuture = Pin<Box<dyn Future<Output = Self::Output> + Send>>;

    /// Reports it. If the future is dropped, the token may or may not have been used. Using it again is safe.
    fn into_future(self) -> Self::IntoFuture {
        Box::pin(self.report())
    }
}
