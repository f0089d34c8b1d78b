//! What is agreed on a run at its start beside its arguments: timeouts, retries, and the use of its ids.

use std::time::Duration;

use super::{OnConflict, Start};
use crate::error::{KeyError, StartError};
use crate::machine::Workflow;
use crate::model::{OnTimeout, RetryPolicy, RunId, StableHash, Terms, WorkflowRetry};
use crate::store::{IdPolicy, IdReuse};

/// The options of a start that most starts do not use.
#[derive(Clone, Debug, Default)]
pub(super) struct Agreed {
    pub(super) terms: Terms,
    non_retryable: Vec<String>,
    reuse: IdReuse,
    request_id: Option<String>,
}

impl Agreed {
    pub(super) fn check(&self) -> Result<(), StartError> {
        self.request_id.iter().try_for_each(|id| KeyError::check(id)).map_err(StartError::RequestId)
    }

    pub(super) fn has_terms(&self) -> bool {
        !self.terms.is_empty()
    }

    /// The policy of a start by policy, if it is to be one.
    pub(super) fn policy(&self, on_conflict: OnConflict) -> Option<IdPolicy> {
        let ends_open = on_conflict == OnConflict::TerminateExisting;
        let policy = IdPolicy { reuse: self.reuse, ends_open };
        // A request that is repeated meets a run with its run id, which only a start by policy expects at any time.
        (policy != IdPolicy::default() || self.request_id.is_some()).then_some(policy)
    }

    /// The id of the run that every start with the same request id starts.
    pub(super) fn run_id(&self, workflow: &str, workflow_id: Option<&str>) -> Option<RunId> {
        let request_id = self.request_id.as_deref()?;
        let hash = |part: &str| {
            let mut hash = StableHash::new();
            for text in [part, workflow, workflow_id.unwrap_or_default(), request_id] {
                hash.add(text);
            }
            hash.finish()
        };
        let bytes = (u128::from(hash("first")) << 64) | u128::from(hash("second"));
        Some(uuid::Builder::from_custom_bytes(bytes.to_be_bytes()).into_uuid().into())
    }
}

/// Timeouts and retries.
///
/// Deadlines are points in time on the database's clock: they go on while no worker runs. They are looked for at every
/// [poll interval](crate::worker::Worker::poll_interval) of the workers, which is how late a timeout may fire.
impl<W: Workflow> Start<W> {
    /// Limits how long the run may take, together with all runs that follow it in its chain: retries, and those as which
    /// it continues. The time counts from when the first run is due. Default: no limit.
    ///
    /// A run whose time is over closes with the status [`TimedOut`](crate::model::RunStatus::TimedOut), also if it is
    /// blocked, and is not retried.
    pub fn execution_timeout(mut self, timeout: Duration) -> Self {
        self.agreed.terms.execution_timeout = Some(timeout);
        self
    }

    /// Limits how long each run of the chain may take, from when it is due. A run whose time is over closes with the
    /// status [`TimedOut`](crate::model::RunStatus::TimedOut), also if it is blocked, and is retried if it has a
    /// [retry policy](Start::retry). Default: no limit.
    pub fn run_timeout(mut self, timeout: Duration) -> Self {
        self.agreed.terms.run_timeout = Some(timeout);
        self
    }

    /// Sets what happens to a run whose timeout is over. Default: [`OnTimeout::Terminate`].
    pub fn on_timeout(mut self, on_timeout: OnTimeout) -> Self {
        self.agreed.terms.on_timeout = on_timeout;
        self
    }

    /// With [`OnTimeout::Cancel`], limits how long the run may take to close once it has been asked to cancel. After
    /// that it is closed without running any more of its code. Default: 10 minutes.
    pub fn cleanup_timeout(mut self, timeout: Duration) -> Self {
        self.agreed.terms.cleanup_timeout = timeout;
        self
    }

    /// Retries the workflow: if a run fails or its [run timeout](Start::run_timeout) is over, another run with the same
    /// arguments and the same workflow id follows it after the wait that the policy gives, with the newest code of the
    /// workflow. [`RunHandle::result`](super::RunHandle::result) follows, and a parent sees one child. A run that
    /// was cancelled or terminated is not retried. Signals that the failed run has not received go over to the next.
    /// Default: never.
    pub fn retry(mut self, policy: RetryPolicy) -> Self {
        let non_retryable = self.agreed.non_retryable.clone();
        self.agreed.terms.retry = Some(WorkflowRetry { policy, non_retryable });
        self
    }

    /// Names errors that are not [retried](Start::retry): variants, such as `CardDeclined`, if the workflow's error is an
    /// enum, or the whole text if it is a text. Default: none.
    pub fn non_retryable<N: Into<String>>(mut self, names: impl IntoIterator<Item = N>) -> Self {
        self.agreed.non_retryable.extend(names.into_iter().map(Into::into));
        if let Some(retry) = &mut self.agreed.terms.retry {
            retry.non_retryable.clone_from(&self.agreed.non_retryable);
        }
        self
    }
}

/// The use of ids.
impl<W: Workflow> Start<W> {
    /// Sets after which closed runs the workflow id may be used again. Default: after any.
    ///
    /// The last run of the id counts. Runs that [retention](crate::worker::Worker::retention) has removed do not count.
    pub fn id_reuse(mut self, reuse: IdReuse) -> Self {
        self.agreed.reuse = reuse;
        self
    }

    /// Sets an id of the request, by which a repetition is known: a start of the same workflow with the same workflow id
    /// and the same request id starts nothing and gives the run that the first one has started, open or closed. At
    /// least one byte, at most 1,000, without the character NUL. Default: every start is a request of its own.
    ///
    /// The run's id is made from it, so it is not sorted by the time of the start. A request is known for as long as the
    /// run is kept.
    pub fn request_id(mut self, id: impl Into<String>) -> Self {
        self.agreed.request_id = Some(id.into());
        self
    }
}
