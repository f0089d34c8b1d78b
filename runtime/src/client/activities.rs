//! Ending attempts of activities by their tokens.
//!
//! The attempt of an activity on a queue has a row, by which the store detects a stale token. For an activity
//! without a queue, the run's last snapshot and its inbox show which attempt is the current one; an outcome given
//! by a token is put into the inbox, like the end of the function.

use std::sync::Arc;
use std::time::Duration;

use serde::Serialize;
use serde_json::Value;
use tokio::time::sleep;

use super::awaited::Sent;
use super::{Client, FailActivity};
use crate::activities::{ActivityReport, ReportedError};
use crate::codec;
use crate::engine::backoff::patiently;
use crate::engine::queues::QueuedCall;
use crate::engine::retry::{self, AttemptResult, Conclusion};
use crate::error::{StoreError, TokenError};
use crate::machine::{Activity, OperationOutcome, ResultParts};
use crate::model::{
    ActivityOperation, ActivityToken, AttemptFailure, Operation, Payload, Snapshot,
};
use crate::store::{
    ActivityEnd, ActivityHeartbeat, ActivityKey, Arrival, ArrivalKind, ArrivalOutcome,
    FinishActivity, FinishOutcome, HeartbeatOutcome, NewArrival, Reporter,
};

/// The number of arrivals to read at a time.
const PAGE: u32 = 500;

/// How often, and with which wait, to look for a state that is not committed yet: a run with relaxed durability
/// commits its state after it has started the activity.
const LOOKS: u32 = 100;
const LOOK_AGAIN_AFTER: Duration = Duration::from_millis(50);

/// The call that a token belongs to.
struct Call {
    activity: ActivityOperation,
    /// Whether the run's owner makes its attempts.
    is_owned: bool,
}

/// What an activity's function would have reported with this return value.
pub(super) fn report_of<A: Activity>(returned: &A::Return) -> Result<ActivityReport, TokenError> {
    (A::OUTCOMES.report)(returned, A::error)
        .map_err(|source| TokenError::Encode { what: A::NAME, source })
}

impl Client {
    /// Ends the activity whose attempt `token` names: the workflow gets what its function would have returned. An error
    /// is final, too; [`fail_activity`](Self::fail_activity) can report one that is retried. A second use of the token
    /// has no effect, whatever its result.
    ///
    /// The token may be used from any process, as soon as the activity has it and until the attempt ends. If the
    /// function of an activity without a queue returns at the same moment, either result may count; after
    /// [`complete_later`](crate::activities::ActivityContext::complete_later), only the token's result counts.
    ///
    /// If the future is dropped, the token may or may not have been used. Using it again is safe.
    ///
    /// ```no_run
    /// # use piton::prelude::*;
    /// # #[activity]
    /// # async fn approve(cx: &ActivityContext) -> Result<bool, String> { cx.complete_later().await }
    /// # async fn demo(client: Client, text: &str) -> piton::Result<()> {
    /// let token = text.parse()?;
    /// client.complete_activity::<approve>(token, Ok(true)).await?;
    /// # Ok(())
    /// # }
    /// ```
    ///
    /// # Errors
    /// - [`TokenError::Stale`] if the attempt has ended
    /// - [`TokenError::Closed`] if the run is closed, [`TokenError::Unknown`] if there is no such run
    /// - [`TokenError::OtherActivity`] if the call is not one of `A`
    /// - [`TokenError::Encode`] if the value cannot be encoded
    /// - [`TokenError::Store`] if the database [is away](Client#when-the-database-is-away) for too long; calling
    ///   again is safe
    pub async fn complete_activity<A: Activity>(
        &self,
        token: ActivityToken,
        returned: A::Return,
    ) -> Result<(), TokenError> {
        let mut report = report_of::<A>(&returned)?;
        report.error.iter_mut().for_each(|error| error.is_retryable = false);
        self.end_attempt_of(A::NAME, token, report).await
    }

    /// Ends the activity whose attempt `token` names with an error. Await the returned value, after
    /// [`retryable`](FailActivity::retryable) if the activity is to be tried again.
    ///
    /// Errors: see [`Client::complete_activity`].
    pub fn fail_activity<A: Activity<Return: ResultParts>>(
        &self,
        token: ActivityToken,
        error: <A::Return as ResultParts>::Err,
    ) -> FailActivity {
        FailActivity::typed::<A>(self.clone(), token, &A::Return::from_err(error))
    }

    /// Like [`Client::complete_activity`], for programs without the activity's code. `returned` is the function's
    /// return value as JSON; a `Result` is written `{"Ok": …}`. JSON that does not fit the return type in any recorded
    /// build is refused.
    ///
    /// # Errors
    /// [`TokenError::Unfit`] if the JSON does not fit; see also [`Client::complete_activity`].
    pub async fn complete_activity_json(
        &self,
        token: ActivityToken,
        returned: &Value,
    ) -> Result<(), TokenError> {
        self.end_attempt_json(token, returned, None).await
    }

    /// Like [`Client::fail_activity`], for programs without the activity's code. `error` is the function's error as
    /// JSON.
    ///
    /// Errors: see [`Client::complete_activity_json`].
    pub fn fail_activity_json(&self, token: ActivityToken, error: &Value) -> FailActivity {
        FailActivity::json(self.clone(), token, error)
    }

    /// Sends a heartbeat for the attempt that `token` names, as
    /// [`ActivityContext::heartbeat`](crate::activities::ActivityContext::heartbeat) does within the function. Each
    /// call writes to the database.
    ///
    /// # Errors
    /// See [`Client::complete_activity`]. If the attempt [has ended](TokenError::Stale), stop working on it.
    pub async fn heartbeat_activity<T: Serialize + ?Sized>(
        &self,
        token: ActivityToken,
        details: &T,
    ) -> Result<(), TokenError> {
        let details = codec::to_tagged_payload(details)
            .map_err(|source| TokenError::Encode { what: "heartbeat", source })?;
        let ActivityToken { handle, attempt, .. } = token;
        let (key, reporter) = (key(token), Reporter::Token);
        let beat = ActivityHeartbeat { key, attempt, reporter, details: Some(details.clone()) };
        let noted = self.reports().heartbeats.submit(beat).await.map_err(TokenError::Store)?;
        match noted {
            HeartbeatOutcome::Noted => Ok(()),
            HeartbeatOutcome::Stale => match self.find_call(token).await? {
                Some(Call { is_owned: true, .. }) => {
                    let kind = ArrivalKind::Heartbeat { handle, attempt, details };
                    self.put_into_inbox(token, kind, None).await
                }
                _ => Err(self.why_stale(token).await),
            },
        }
    }

    /// Ends the attempt of an activity of this name.
    pub(super) async fn end_attempt_of(
        &self,
        name: &'static str,
        token: ActivityToken,
        report: ActivityReport,
    ) -> Result<(), TokenError> {
        let call = self.find_call(token).await?;
        if let Some(call) = &call
            && call.activity.name != name
        {
            let found = call.activity.name.clone().into_owned();
            return Err(TokenError::OtherActivity { found, expected: name });
        }
        self.end_attempt(token, call, report).await
    }

    /// Ends the attempt with JSON that the activity may return.
    pub(super) async fn end_attempt_json(
        &self,
        token: ActivityToken,
        returned: &Value,
        error: Option<ReportedError>,
    ) -> Result<(), TokenError> {
        let call = self.find_call(token).await?;
        if let Some(call) = &call {
            // An item of a queue has no run.
            let run = self.find(token.run_id).await.map_err(failed)?;
            let workflow = run.as_ref().map(|run| &*run.workflow);
            let name = &*call.activity.name;
            let checked = self.check_json(workflow, Sent::Result, name, returned).await;
            checked
                .map_err(failed)?
                .map_err(|reason| TokenError::Unfit { activity: name.to_owned(), reason })?;
        }
        let report = ActivityReport { returned: Payload::from_json(returned), error };
        self.end_attempt(token, call, report).await
    }

    /// Ends the attempt with an outcome, instead of its function.
    async fn end_attempt(
        &self,
        token: ActivityToken,
        call: Option<Call>,
        report: ActivityReport,
    ) -> Result<(), TokenError> {
        let record = || self.recorded().schema_of(&**self.store(), &report.returned);
        patiently(record).await.map_err(failed)?;
        let returned = OperationOutcome::Returned(report.returned.clone());
        let failure = report.error.as_ref().map(|error| error.message.clone());
        let end = match &call {
            Some(call) if report.error.is_some() => {
                self.conclude(token, &call.activity, report).await?
            }
            // Without a call, the store decides whether the token was used before.
            _ => Conclusion::Outcome(returned.clone()),
        };
        let attempt_end = match &end {
            Conclusion::Retry { retry_at, failure } => {
                let failure = AttemptFailure::new(token.attempt, failure.clone()).error;
                ActivityEnd::Retry { retry_at: *retry_at, failure, details: None }
            }
            Conclusion::Outcome(outcome) => {
                ActivityEnd::of(outcome.clone(), token.attempt, failure)
            }
            Conclusion::Block(_) => ActivityEnd::Outcome(returned.clone()),
        };
        let ActivityToken { handle, attempt, .. } = token;
        let (key, reporter) = (key(token), Reporter::Token);
        let finish = FinishActivity { key, attempt, reporter, end: attempt_end };
        let ended = self.reports().ends.submit(finish).await.map_err(TokenError::Store)?;
        if matches!(ended, FinishOutcome::Finished | FinishOutcome::Repeated) {
            return Ok(());
        }
        let Some(Call { is_owned: true, .. }) = call else {
            return Err(self.why_stale(token).await);
        };
        let kind = match end {
            Conclusion::Retry { retry_at, failure } => {
                ArrivalKind::Retry { handle, attempt, retry_at, failure, details: None }
            }
            Conclusion::Outcome(outcome) => ArrivalKind::Outcome { handle, outcome },
            Conclusion::Block(_) => ArrivalKind::Outcome { handle, outcome: returned },
        };
        self.put_into_inbox(token, kind, Some(key.token_key(attempt))).await
    }

    async fn put_into_inbox(
        &self,
        token: ActivityToken,
        kind: ArrivalKind,
        dedup_key: Option<String>,
    ) -> Result<(), TokenError> {
        let run_id = token.run_id;
        let arrival = NewArrival { run_id, kind, dedup_key, owner: None };
        match self.deliveries().submit(arrival).await.map_err(TokenError::Store)? {
            ArrivalOutcome::Accepted { .. }
            | ArrivalOutcome::Duplicate
            | ArrivalOutcome::KeyTaken { .. } => Ok(()),
            ArrivalOutcome::Unknown => Err(TokenError::Unknown { run_id }),
            // Arrivals of clients name no owner.
            ArrivalOutcome::Closed | ArrivalOutcome::NotOwner => Err(TokenError::Closed { run_id }),
        }
    }

    /// The call whose current attempt the token names. For a call on a queue, any attempt.
    async fn find_call(&self, token: ActivityToken) -> Result<Option<Call>, TokenError> {
        let store = self.store();
        for _ in 0..LOOKS {
            let queued = patiently(|| store.find_activity(key(token))).await.map_err(failed)?;
            if let Some(record) = queued {
                let attempts = token.attempt.saturating_sub(1);
                let call = QueuedCall::read(record.call, attempts, record.interruptions);
                let call = call.map_err(|error| corrupt("activity", &error))?;
                return Ok(Some(Call { activity: call.activity, is_owned: false }));
            }
            // In this order: arrivals that leave the inbox in between are part of the snapshot.
            let inbox = self.inbox(token).await?;
            let snapshot = patiently(|| store.find_snapshot(token.run_id)).await.map_err(failed)?;
            let Some(snapshot) = snapshot.filter(|snapshot| !snapshot.is_empty()) else {
                return Ok(None);
            };
            let snapshot =
                codec::decode_snapshot(&snapshot).map_err(|error| corrupt("snapshot", &error))?;
            if token.handle.0 < snapshot.next_handle {
                let activity = current(snapshot, &inbox, token);
                return Ok(activity.map(|activity| Call { activity, is_owned: true }));
            }
            sleep(LOOK_AGAIN_AFTER).await;
        }
        Ok(None)
    }

    /// All arrivals in the run's inbox.
    async fn inbox(&self, token: ActivityToken) -> Result<Vec<Arrival>, TokenError> {
        let mut inbox: Vec<Arrival> = Vec::new();
        loop {
            let read = inbox.last().map_or(0, |last| last.seq);
            let page = || self.store().read_inbox(token.run_id, read, PAGE);
            let page = patiently(page).await.map_err(failed)?;
            inbox.extend(page.arrivals);
            if !page.has_more {
                return Ok(inbox);
            }
        }
    }

    async fn conclude(
        &self,
        token: ActivityToken,
        activity: &ActivityOperation,
        report: ActivityReport,
    ) -> Result<Conclusion, TokenError> {
        let ActivityToken { run_id, handle, attempt } = token;
        let now = patiently(|| self.store().now()).await.map_err(failed)?;
        let draw = retry::draw(run_id, handle, attempt);
        let result = AttemptResult::Reported(Ok(report));
        Ok(retry::conclude(activity, attempt, result, now, draw))
    }

    async fn why_stale(&self, token: ActivityToken) -> TokenError {
        let run_id = token.run_id;
        match self.find(run_id).await {
            Ok(Some(run)) if run.status.is_open() => TokenError::Stale { attempt: token.attempt },
            Ok(Some(_)) => TokenError::Closed { run_id },
            Ok(None) => TokenError::Unknown { run_id },
            Err(error) => failed(error),
        }
    }
}

/// The activity without a queue whose current attempt the token names.
fn current(
    snapshot: Snapshot,
    inbox: &[Arrival],
    token: ActivityToken,
) -> Option<ActivityOperation> {
    let ActivityToken { handle, attempt, .. } = token;
    let is_over = inbox.iter().any(|arrival| match &arrival.kind {
        ArrivalKind::Outcome { handle: ended, .. } => *ended == handle,
        ArrivalKind::Retry { handle: ended, attempt: last, .. }
        | ArrivalKind::Interruption { handle: ended, attempt: last } => {
            *ended == handle && *last >= attempt
        }
        _ => false,
    });
    let mut operations = snapshot.operations.into_iter();
    let (_, operation) = operations.find(|(asked, _)| *asked == handle)?;
    match operation {
        Operation::Activity(activity)
            if !is_over && activity.queue.is_none() && activity.attempts + 1 == attempt =>
        {
            Some(*activity)
        }
        _ => None,
    }
}

fn key(token: ActivityToken) -> ActivityKey {
    ActivityKey { run_id: token.run_id, handle: token.handle }
}

fn corrupt(what: &'static str, error: &codec::CodecError) -> TokenError {
    failed(StoreError::Corrupt { what, reason: error.to_string() })
}

fn failed(error: StoreError) -> TokenError {
    TokenError::Store(Arc::new(error))
}
