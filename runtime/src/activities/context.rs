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

/// Values given to the worker for its activities, at most one of each type: connection pools, HTTP
/// clients, settings.
#[derive(Clone, Default)]
pub struct Dependencies(HashMap<TypeId, Arc<dyn Any + Send + Sync>>);

impl Dependencies {
    /// Adds a value, in place of an earlier one of the same type.
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

/// Which attempt of which call this is.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct ActivityInfo {
    /// The run that asked for it.
    pub run_id: RunId,
    /// That run's business key.
    pub workflow_id: Arc<str>,
    /// The call within the run.
    pub handle: Handle,
    /// The activity's stored name.
    pub name: &'static str,
    /// The attempt, from 1. No two attempts of a call have the same number, whatever happens to
    /// workers and to clocks. Numbers may be missing: an attempt that a crash interrupted has one,
    /// and so has one that a worker may have begun after it had lost the run. A relaxed run that
    /// goes back to its checkpoint makes its calls since then once more, from attempt 1.
    pub attempt: u32,
}

/// An activity's view of the call it serves. Cheap to clone.
#[derive(Clone)]
pub struct ActivityContext(Arc<dyn Hidden<Surroundings> + Send + Sync>);

struct Surroundings {
    info: ActivityInfo,
    dependencies: Arc<Dependencies>,
    /// Where the function finds its database connection, if it has one.
    desk: Desk,
    /// `None` where no engine makes the attempt, as in a unit test.
    link: Option<Arc<dyn AttemptLink>>,
}

impl ActivityContext {
    /// The context of an attempt that no engine makes: it is never cancelled and nobody hears its
    /// heartbeats, as in a unit test.
    pub fn new(info: ActivityInfo, dependencies: Arc<Dependencies>) -> Self {
        Self::with(info, dependencies, None)
    }

    /// The context of an attempt that is tied to the engine that makes it.
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

    /// Where the function of an `#[activity(transaction)]` finds its connection.
    #[doc(hidden)]
    pub fn desk(&self) -> &Desk {
        &self.around().desk
    }

    /// Which attempt of which call this is.
    pub fn info(&self) -> &ActivityInfo {
        &self.around().info
    }

    /// A key that is the same for every attempt of this call and for no other call: hand it to the
    /// outside world so that an attempt made twice has its effect once.
    pub fn idempotency_key(&self) -> String {
        format!("{}/{}", self.around().info.run_id, self.around().info.handle.0)
    }

    /// The value of type `T` that was given to the worker.
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

    /// The value of type `T` that was given to the worker, if there is one.
    pub fn try_dependency<T: Send + Sync + 'static>(&self) -> Option<Arc<T>> {
        self.around().dependencies.get()
    }

    /// Gives a sign of life, with what a further attempt is to know of this one, such as how far it
    /// has come; `&()` if there is nothing to know. An attempt with a `heartbeat` limit that is
    /// silent for longer is given up and tried again.
    ///
    /// It may be called as often as is convenient. An attempt that fails hands on the newest details.
    /// Those that are to outlive the worker are written at most every third of the `heartbeat` limit,
    /// 10 s at most and without a limit, always the newest: so after a crash the next attempt knows
    /// what was said that long before it, or later. On a queue the first write is at once; of an
    /// activity without a queue it comes that long after the first heartbeat, with the state of the
    /// run, so that a short attempt costs no write.
    ///
    /// # Errors
    /// [`CodecError::Encode`] if the details cannot be encoded; then it is no sign of life.
    pub fn heartbeat<T: Serialize + ?Sized>(&self, details: &T) -> Result<(), CodecError> {
        let details = codec::to_tagged_payload(details)?;
        self.around().link.iter().for_each(|link| link.heartbeat(details.clone()));
        Ok(())
    }

    /// What the last heartbeat of an attempt before this one said, if it was a `T`.
    pub fn last_heartbeat<T: DeserializeOwned>(&self) -> Option<T> {
        codec::from_any_payload(&self.around().link.as_ref()?.last_heartbeat()?).ok()
    }

    /// Whether the result is no longer wanted: the workflow has given the call up, the run is
    /// closed, or another attempt has taken this one's place. On a queue that is known at once if
    /// the run's worker is in the same process or news comes through, and otherwise at the next
    /// heartbeat or poll.
    ///
    /// A function that has asked this, or waits for [`ActivityContext::cancelled`], may end in its
    /// own way; it is dropped 10 s after. One that has not is dropped at once, where it awaits.
    pub fn is_cancelled(&self) -> bool {
        self.around().link.as_ref().is_some_and(|link| link.is_cancelled())
    }

    /// Waits until the result is no longer wanted, see [`ActivityContext::is_cancelled`].
    /// Cancellation safe.
    pub async fn cancelled(&self) {
        match &self.around().link {
            Some(link) => Arc::clone(link).cancelled().await,
            None => std::future::pending().await,
        }
    }

    /// The right to complete or fail this attempt from anywhere, see
    /// [`Client::complete_activity`](crate::client::Client::complete_activity). It may be used at
    /// once, and for as long as the attempt continues, also when this worker has died: on a queue and
    /// after [`ActivityContext::complete_later`] until a limit runs out, otherwise until another
    /// worker has begun the next attempt.
    ///
    /// # Panics
    /// If the activity is a transaction, whose writes are committed with the outcome of its function,
    /// or if no engine makes the attempt, as in a unit test. The activity then counts as panicked,
    /// with a message that says so.
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

    /// Ends the function without a result: the attempt continues, without a worker, until somebody uses
    /// its token or one of its limits runs out. It never returns, so it stands for a value of any type:
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
    /// As [`ActivityContext::token`].
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
