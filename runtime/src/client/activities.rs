//! Ending attempts of activities from outside, with their tokens.

use std::sync::Arc;

use serde::Serialize;

use super::Client;
use crate::activities::ActivityReport;
use crate::codec;
use crate::engine::queues::QueuedCall;
use crate::engine::retry::{self, AttemptResult, Conclusion};
use crate::error::{StoreError, TokenError};
use crate::machine::{Activity, OperationOutcome, ResultParts};
use crate::model::ActivityToken;
use crate::store::{
    ActivityEnd, ActivityHeartbeat, ActivityKey, ActivityRecord, FinishActivity, FinishOutcome,
    HeartbeatOutcome, Reporter, RunKey,
};

impl Client {
    /// Ends the attempt that `token` names, exactly as if its function had returned this: a value
    /// goes to the workflow, an error is tried again or goes to the workflow as the retry policy
    /// says. Using a token again does nothing, whatever it says then.
    ///
    /// ```no_run
    /// # use piton::prelude::*;
    /// # #[activity(queue = "approvals")]
    /// # async fn approve(cx: &ActivityContext) -> Result<bool, String> { cx.complete_later().await }
    /// # async fn demo(client: Client, text: &str) -> piton::Result<()> {
    /// let token = text.parse()?;
    /// client.complete_activity::<approve>(token, Ok(true)).await?;
    /// # Ok(())
    /// # }
    /// ```
    ///
    /// # Errors
    /// [`TokenError::Stale`] if the attempt is over, [`TokenError::Closed`] and
    /// [`TokenError::Unknown`] by the state of the run, [`TokenError::OtherActivity`] if the call is
    /// not one of `A`, [`TokenError::Store`] if the database fails.
    pub async fn complete_activity<A: Activity>(
        &self,
        token: ActivityToken,
        returned: A::Return,
    ) -> Result<(), TokenError> {
        let report = codec::to_payload(&returned)
            .map(|payload| ActivityReport { returned: payload, error: A::error(&returned) })
            .map_err(|source| TokenError::Encode { what: A::NAME, source })?;
        let record = self.record_of::<A>(token).await?;
        let end = match (report, record) {
            (ActivityReport { error: Some(error), returned }, Some(record)) => {
                let report = ActivityReport { error: Some(error), returned };
                self.fail(token, report, record).await?
            }
            (report, _) => ActivityEnd::Outcome(OperationOutcome::Returned(report.returned)),
        };
        let ActivityToken { attempt, .. } = token;
        let end = FinishActivity { key: key(token), attempt, reporter: Reporter::Token, end };
        let ended = self.reports().ends.submit(end).await.map_err(TokenError::Store)?;
        match ended {
            FinishOutcome::Finished | FinishOutcome::Repeated => Ok(()),
            FinishOutcome::Stale => Err(self.why_stale(token).await),
        }
    }

    /// Ends the attempt that `token` names as failed: the same as
    /// [`Client::complete_activity`] with this error.
    ///
    /// # Errors
    /// See [`Client::complete_activity`].
    pub async fn fail_activity<A: Activity<Return: ResultParts>>(
        &self,
        token: ActivityToken,
        error: <A::Return as ResultParts>::Err,
    ) -> Result<(), TokenError> {
        self.complete_activity::<A>(token, A::Return::from_err(error)).await
    }

    /// Gives a sign of life of the attempt that `token` names, as
    /// [`ActivityContext::heartbeat`](crate::activities::ActivityContext::heartbeat) does from
    /// within. Each is written.
    ///
    /// # Errors
    /// See [`Client::complete_activity`]. An attempt that is [over](TokenError::Stale) should be
    /// given up.
    pub async fn heartbeat_activity<T: Serialize + ?Sized>(
        &self,
        token: ActivityToken,
        details: &T,
    ) -> Result<(), TokenError> {
        let details = codec::to_payload(details)
            .map_err(|source| TokenError::Encode { what: "heartbeat", source })?;
        let beat = ActivityHeartbeat {
            key: key(token),
            attempt: token.attempt,
            reporter: Reporter::Token,
            details: Some(details),
        };
        let noted = self.reports().heartbeats.submit(beat).await.map_err(TokenError::Store)?;
        match noted {
            HeartbeatOutcome::Noted => Ok(()),
            HeartbeatOutcome::Stale => Err(self.why_stale(token).await),
        }
    }

    /// What is known of the call, if it is not over.
    async fn record_of<A: Activity>(
        &self,
        token: ActivityToken,
    ) -> Result<Option<ActivityRecord>, TokenError> {
        let record = self.store().find_activity(key(token)).await.map_err(failed)?;
        match record {
            Some(record) if record.activity != A::NAME => {
                Err(TokenError::OtherActivity { found: record.activity, expected: A::NAME })
            }
            record => Ok(record),
        }
    }

    /// What follows from an error.
    async fn fail(
        &self,
        token: ActivityToken,
        report: ActivityReport,
        record: ActivityRecord,
    ) -> Result<ActivityEnd, TokenError> {
        let ActivityToken { run_id, handle, attempt } = token;
        let call = QueuedCall::read(record.call, attempt.saturating_sub(1), record.interruptions)
            .map_err(|error| {
            let reason = error.to_string();
            failed(StoreError::Corrupt { what: "activity", reason })
        })?;
        let now = self.store().now().await.map_err(failed)?;
        let draw = retry::draw(run_id, handle, attempt);
        let result = AttemptResult::Reported(Ok(report));
        Ok(match retry::conclude(&call.activity, attempt, result, now, draw) {
            Conclusion::Outcome(outcome) => ActivityEnd::Outcome(outcome),
            Conclusion::Retry { retry_at, .. } => ActivityEnd::Retry { retry_at, details: None },
            Conclusion::Block(_) => unreachable!("a report that was made here can be read"),
        })
    }

    async fn why_stale(&self, token: ActivityToken) -> TokenError {
        let run_id = token.run_id;
        match self.store().find_run(&RunKey::RunId(run_id)).await {
            Ok(Some(run)) if run.status.is_open() => TokenError::Stale { attempt: token.attempt },
            Ok(Some(_)) => TokenError::Closed { run_id },
            Ok(None) => TokenError::Unknown { run_id },
            Err(error) => failed(error),
        }
    }
}

fn key(token: ActivityToken) -> ActivityKey {
    ActivityKey { run_id: token.run_id, handle: token.handle }
}

fn failed(error: StoreError) -> TokenError {
    TokenError::Store(Arc::new(error))
}
