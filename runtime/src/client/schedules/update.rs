//! Changing the configuration of a schedule.

use std::future::IntoFuture;
use std::pin::Pin;
use std::time::Duration;

use piton_schedule::Spec;

use super::Schedule;
use super::action::Starts;
use super::create::check;
use super::terms::ActionChange;
use crate::error::ScheduleError;
use crate::machine::{Workflow, WorkflowCall};
use crate::schedules::{LogKind, Overlap, SignalAction};

/// A change of a schedule: await it. See [`Schedule::update`].
#[derive(Debug)]
#[must_use = "nothing is changed until this is awaited"]
pub struct UpdateSchedule {
    schedule: Schedule,
    revision: Option<i64>,
    starts: Option<Result<Starts, ScheduleError>>,
    spec: Option<Spec>,
    pub(super) action_change: ActionChange,
    pub(super) signal: Option<Result<SignalAction, ScheduleError>>,
    workflow_id: Option<String>,
    overlap: Option<Overlap>,
    catch_up: Option<Duration>,
    pause_on_failure: Option<bool>,
    max_buffered: Option<Option<u64>>,
    max_actions: Option<Option<u64>>,
}

impl UpdateSchedule {
    pub(super) fn new(schedule: Schedule) -> Self {
        Self {
            schedule,
            revision: None,
            starts: None,
            spec: None,
            action_change: ActionChange::default(),
            signal: None,
            workflow_id: None,
            overlap: None,
            catch_up: None,
            pause_on_failure: None,
            max_buffered: None,
            max_actions: None,
        }
    }

    /// Requires this revision, as [described](super::ScheduleDescription::revision): if the schedule was changed
    /// since, the update fails.
    pub fn revision(mut self, revision: i64) -> Self {
        self.revision = Some(revision);
        self
    }

    /// Changes the spec.
    pub fn spec(mut self, spec: Spec) -> Self {
        self.spec = Some(spec);
        self
    }

    /// Changes the workflow and its arguments.
    pub fn call<W: Workflow>(mut self, call: WorkflowCall<W>) -> Self {
        self.starts = Some(Starts::call(call));
        self
    }

    /// As [`call`](Self::call), for a workflow that this program does not have: see
    /// [`Schedule::create_json`](super::Schedule::create_json).
    pub fn call_json(mut self, workflow: impl Into<String>, arguments: &serde_json::Value) -> Self {
        let (workflow, arguments) = (workflow.into(), arguments.clone());
        self.starts = Some(Ok(Starts::Json { workflow, arguments }));
        self
    }

    /// See [`CreateSchedule::workflow_id`](super::CreateSchedule::workflow_id).
    pub fn workflow_id(mut self, pattern: impl Into<String>) -> Self {
        self.workflow_id = Some(pattern.into());
        self
    }

    /// See [`CreateSchedule::overlap`](super::CreateSchedule::overlap).
    pub fn overlap(mut self, overlap: Overlap) -> Self {
        self.overlap = Some(overlap);
        self
    }

    /// See [`CreateSchedule::catch_up_window`](super::CreateSchedule::catch_up_window).
    pub fn catch_up_window(mut self, window: Duration) -> Self {
        self.catch_up = Some(window);
        self
    }

    /// See [`CreateSchedule::pause_on_failure`](super::CreateSchedule::pause_on_failure).
    pub fn pause_on_failure(mut self, pause: bool) -> Self {
        self.pause_on_failure = Some(pause);
        self
    }

    /// See [`CreateSchedule::max_buffered`](super::CreateSchedule::max_buffered); `None` means no limit.
    pub fn max_buffered(mut self, most: Option<u64>) -> Self {
        self.max_buffered = Some(most);
        self
    }

    /// Sets how many more runs it starts by its spec; `None` means no limit.
    pub fn max_actions(mut self, most: Option<u64>) -> Self {
        self.max_actions = Some(most);
        self
    }

    async fn update(self) -> Result<(), ScheduleError> {
        let (starts, signal) = (self.starts.transpose()?, self.signal.transpose()?);
        let client = &self.schedule.client;
        let action = match starts {
            Some(starts) => Some(starts.recorded(client).await?),
            None => None,
        };
        if let Some(signal) = &signal {
            let workflow = match &action {
                Some((workflow, _)) => workflow.clone(),
                None => self.schedule.find().await?.workflow,
            };
            client.record_scheduled(signal, &workflow).await?;
        }
        let change = self.schedule.change(self.revision, |change| {
            change.says_else = true;
            if let Some((workflow, arguments)) = &action {
                (change.workflow, change.arguments) = (workflow.clone(), arguments.clone());
            }
            let config = &mut change.config;
            if let Some(spec) = &self.spec {
                config.spec = spec.clone();
            }
            if let Some(pattern) = &self.workflow_id {
                config.action.id = pattern.clone();
            }
            self.action_change.apply_to(&mut config.action);
            config.action.signal = signal.clone().or(config.action.signal.take());
            config.overlap = self.overlap.unwrap_or(config.overlap);
            if let Some(window) = self.catch_up {
                config.catch_up_ms = u64::try_from(window.as_millis()).unwrap_or(u64::MAX);
            }
            config.pause_on_failure = self.pause_on_failure.unwrap_or(config.pause_on_failure);
            config.max_buffered = self.max_buffered.unwrap_or(config.max_buffered);
            change.state.remaining = self.max_actions.unwrap_or(change.state.remaining);
            check(config, &self.schedule.id, change.now)?;
            if self.spec.is_some() {
                // Times before now may be due by the new spec that were not by the old one.
                change.state.until = change.state.until.max(change.seconds());
            }
            change.log.push(LogKind::Updated);
            Ok(())
        });
        change.await
    }
}

impl IntoFuture for UpdateSchedule {
    type Output = Result<(), ScheduleError>;
    type IntoFuture = Pin<Box<dyn Future<Output = Self::Output> + Send>>;

    /// Makes the change. If the future is dropped, the change may or may not have been made.
    fn into_future(self) -> Self::IntoFuture {
        Box::pin(self.update())
    }
}
