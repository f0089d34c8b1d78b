//! The context of a running activity.

use std::any::{Any, TypeId, type_name};
use std::collections::HashMap;
use std::fmt;
use std::sync::Arc;

use serde::Serialize;
use serde::de::DeserializeOwned;

use super::AttemptLink;
use super::transaction::Desk;
use crate::codec::{self, CodecError};
use crate::hidden::Hidden;
use crate::model::{ActivityToken, Handle, RunId};

/// Values that a worker provides to its activities, at most one of each type: connection pools, HTTP clients,
/// settings.
#[derive(Clone, Default)]
pub struct Dependencies(HashMap<TypeId, Arc<dyn Any + Send + Sync>>);

impl Dependencies {
    /// Adds a value; replaces an earlier one of the same type.
    pub fn insert<T: Send + Sync + 'static>(&mut self, value: T) {
        self.0.insert(TypeId::of::<T>(), Arc::new(value));
    }

    /// The value of type `T`.
    pub fn get<T: Send + Sync + 'static>(&self) -> Option<Arc<T>> {
        Arc::clone(self.0.get(&TypeId::of::<T>())?).downcast().ok()
    }
}

impl fmt::Debug for Dependencies {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "Dependencies({})", self.0.len())
    }
}

/// Identifies an attempt and its call.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct ActivityInfo {
    /// The run that has called the activity.
    pub run_id: RunId,
    /// The workflow id of that run.
    pub workflow_id: Arc<str>,
    /// The call within the run.
    pub handle: Handle,
    /// The activity's stored name.
    pub name: &'static str,
    /// The number of the attempt, from 1. No two attempts of a call have the same number, whatever happens to
    /// workers and clocks. Numbers may be skipped: an interrupted attempt has one, and so has an attempt that a
    /// worker may have begun after it had lost the run. A relaxed run that returns to its checkpoint repeats its
    /// later calls from attempt 1.
    pub attempt: u32,
}

/// An activity's view of its call. Cheap to clone.
#[derive(Clone)]
pub struct ActivityContext(Arc<dyn Hidden<Surroundings> + Send + Sync>);

struct Surroundings {
    info: ActivityInfo,
    dependencies: Arc<Dependencies>,
    /// The place of the database connection, if the function uses one.
    desk: Desk,
    /// `None` without an engine, as in a unit test.
    link: Option<Arc<dyn AttemptLink>>,
}

impl ActivityContext {
    /// The context of an attempt without an engine, as in a unit test: it is never cancelled, and its heartbeats
    /// have no effect.
    pub fn new(info: ActivityInfo, dependencies: Arc<Dependencies>) -> Self {
        Self::with(info, dependencies, None)
    }

    /// The context of an attempt that an engine makes.
    pub fn linked(
        info: ActivityInfo,
        dependencies: Arc<Dependencies>,
        link: Arc<dyn AttemptLink>,
    ) -> Self {
        Self::with(info, dependencies, Some(link))
    }

    fn with(
        info: ActivityInfo,
        dependencies: Arc<Dependencies>,
        link: Option<Arc<dyn AttemptLink>>,
    ) -> Self {
        Self(Arc::new(Surroundings { info, dependencies, desk: Desk::default(), link }))
    }

    fn around(&self) -> &Surroundings {
        (*self.0).reveal()
    }

    /// The place where the function of an `#[activity(transaction)]` finds its connection.
    #[doc(hidden)]
    pub fn desk(&self) -> &Desk {
        &self.around().desk
    }

    /// Identifies this attempt and its call.
    pub fn info(&self) -> &ActivityInfo {
        &self.around().info
    }

    /// A key that is the same for every attempt of this call, and different for other calls. Pass it to the called
    /// service, so that a repeated attempt has its effect once.
    pub fn idempotency_key(&self) -> String {
        format!("{}/{}", self.around().info.run_id, self.around().info.handle.0)
    }

    /// The value of type `T` that the worker [provides](crate::worker::Worker::provide).
    ///
    /// # Panics
    /// If there is none. The activity then counts as panicked, with a message that names the type.
    pub fn dependency<T: Send + Sync + 'static>(&self) -> Arc<T> {
        self.try_dependency().unwrap_or_else(|| {
            panic!(
                "activity `{}` needs a `{}`, which the worker was not given; add \
                 `.provide(…)` when building the worker",
                self.around().info.name,
                type_name::<T>()
            )
        })
    }

    /// The value of type `T` that the worker provides, if there is one.
    pub fn try_dependency<T: Send + Sync + 'static>(&self) -> Option<Arc<T>> {
        self.around().dependencies.get()
    }

    /// Sends a heartbeat, with details for the next attempt, such as the progress so far; `&()` for none. An
    /// attempt with a `heartbeat` timeout that sends none for longer is given up and retried.
    ///
    /// It may be called as often as is convenient. An attempt that fails passes on the newest details. To survive
    /// the worker's death, details are written at intervals of a third of the `heartbeat` timeout, and of 10 s at
    /// most or without a timeout. Each write contains the newest details, so after a crash the next attempt misses
    /// at most those of one interval. For a queued activity, the first write is immediate. For others, it comes one
    /// interval after the first heartbeat, with the state of the run, so that a short attempt costs no write.
    ///
    /// # Errors
    /// [`CodecError::Encode`] if the details cannot be encoded; then no heartbeat is sent.
    pub fn heartbeat<T: Serialize + ?Sized>(&self, details: &T) -> Result<(), CodecError> {
        let details = codec::to_tagged_payload(details)?;
        self.around().link.iter().for_each(|link| link.heartbeat(details.clone()));
        Ok(())
    }

    /// The details of the last heartbeat of an earlier attempt, if they are a `T`.
    pub fn last_heartbeat<T: DeserializeOwned>(&self) -> Option<T> {
        codec::from_any_payload(&self.around().link.as_ref()?.last_heartbeat()?).ok()
    }

    /// Whether the result is no longer needed: the workflow has dropped the call, the run is closed, or another
    /// attempt has replaced this one. A queued activity learns this at once if the run's worker is in the same
    /// process or a notification arrives, and otherwise at the next heartbeat or poll.
    ///
    /// A function that has called this, or that waits for [`ActivityContext::cancelled`], may end by itself; it is
    /// dropped 10 s after the cancellation. Other functions are dropped at once, at their await.
    pub fn is_cancelled(&self) -> bool {
        self.around().link.as_ref().is_some_and(|link| link.is_cancelled())
    }

    /// Waits until the result is no longer needed, see [`ActivityContext::is_cancelled`]. Cancellation safe.
    pub async fn cancelled(&self) {
        match &self.around().link {
            Some(link) => Arc::clone(link).cancelled().await,
            None => std::future::pending().await,
        }
    }

    /// A token with which any process can complete or fail this attempt, see
    /// [`Client::complete_activity`](crate::client::Client::complete_activity). It may be used at once and until
    /// the attempt ends, even if this worker has died. An attempt on a queue, or after
    /// [`ActivityContext::complete_later`], lasts until one of its time limits expires; any other until another
    /// worker has begun the next attempt.
    ///
    /// # Panics
    /// If the activity is a transaction, whose writes are committed with the result of its function, or without an
    /// engine, as in a unit test. The activity then counts as panicked, with a message that says so.
    pub fn token(&self) -> ActivityToken {
        let token = self.around().link.as_ref().and_then(|link| link.token());
        token.unwrap_or_else(|| {
            panic!(
                "activity `{}` has no token: it is a transaction, whose writes are committed with \
                 the outcome of its function, or no worker makes the attempt",
                self.around().info.name
            )
        })
    }

    /// Ends the function without a result: the attempt continues, without a worker, until its token is used or one
    /// of its time limits expires. Never returns, so it can stand for a value of any type:
    ///
    /// ```
    /// # use piton::prelude::*;
    /// # use serde::{Deserialize, Serialize};
    /// # #[derive(Serialize, Deserialize)]
    /// # struct Approval;
    /// # async fn send_mail(to: &str, token: &str) -> Result<(), String> { Ok(()) }
    /// #[activity(queue = "approvals", start_to_close = "3days")]
    /// async fn approve(cx: &ActivityContext, whom: &str) -> Result<Approval, String> {
    ///     send_mail(whom, &cx.token().to_string()).await?;
    ///     cx.complete_later().await
    /// }
    /// ```
    ///
    /// # Panics
    /// See [`ActivityContext::token`].
    pub async fn complete_later<T>(&self) -> T {
        self.token();
        self.around().link.iter().for_each(|link| link.complete_later());
        std::future::pending().await
    }
}

impl fmt::Debug for ActivityContext {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("ActivityContext").field("info", self.info()).finish_non_exhaustive()
    }
}
