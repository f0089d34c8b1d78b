//! What an activity sees of its surroundings.

use std::any::{Any, TypeId, type_name};
use std::collections::HashMap;
use std::fmt;
use std::sync::Arc;

use super::transaction::Desk;
use crate::model::{Handle, RunId};

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
    pub workflow_id: String,
    /// The call within the run.
    pub handle: Handle,
    /// The activity's stored name.
    pub name: String,
    /// The attempt, from 1. Attempts that a crash interrupted are counted.
    pub attempt: u32,
}

/// An activity's view of the call it serves. Cheap to clone.
#[derive(Clone, Debug)]
pub struct ActivityContext {
    info: Arc<ActivityInfo>,
    dependencies: Arc<Dependencies>,
    /// Where the function finds its database connection, if it has one.
    desk: Desk,
}

impl ActivityContext {
    /// The context of one attempt.
    pub fn new(info: ActivityInfo, dependencies: Arc<Dependencies>) -> Self {
        Self { info: Arc::new(info), dependencies, desk: Desk::default() }
    }

    /// Where the function of an `#[activity(transaction)]` finds its connection.
    #[doc(hidden)]
    pub fn desk(&self) -> &Desk {
        &self.desk
    }

    /// Which attempt of which call this is.
    pub fn info(&self) -> &ActivityInfo {
        &self.info
    }

    /// A key that is the same for every attempt of this call and for no other call: hand it to the
    /// outside world so that an attempt made twice has its effect once.
    pub fn idempotency_key(&self) -> String {
        format!("{}/{}", self.info.run_id, self.info.handle.0)
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
                self.info.name,
                type_name::<T>()
            )
        })
    }

    /// The value of type `T` that was given to the worker, if there is one.
    pub fn try_dependency<T: Send + Sync + 'static>(&self) -> Option<Arc<T>> {
        self.dependencies.get()
    }
}
