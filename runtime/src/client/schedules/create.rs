//! Creating a schedule.

use std::future::IntoFuture;
use std::pin::Pin;
use std::time::Duration;

use piton_schedule::{Spec, UnixSeconds};

use super::Schedule;
use super::action::Starts;
use super::change::write;
use crate::engine::backoff::patiently;
use crate::error::{KeyError, ScheduleError};
use crate::filter::near;
use crate::model::{AttributeChanges, Timestamp};
use crate::schedules::{Config, LogKind, Overlap, SCHEDULE, State, TIME, entry};
use crate::store::{NewSchedule, ScheduleCreated};

/// A schedule, ready to be created: await it. See [`Schedule::create`].
#[derive(Debug)]
#[must_use = "a schedule is not created until this is awaited"]
pub struct CreateSchedule {
    schedule: Schedule,
    pub(super) starts: Result<Starts, ScheduleError>,
    pub(super) config: Config,
    pub(super) attributes: AttributeChanges,
    paused: Option<String>,
    max_actions: Option<u64>,
}

impl CreateSchedule {
    pub(super) fn new(
        schedule: Schedule,
        spec: Spec,
        starts: Result<Starts, ScheduleError>,
    ) -> Self {
        let (config, attributes) = (Config::new(spec), AttributeChanges::new());
        Self { schedule, starts, config, attributes, paused: None, max_actions: None }
    }

    /// The workflow id of the runs, in which `{schedule}` stands for the id of the schedule and `{time}` for the nominal
    /// time, in UTC as RFC 3339 has it. Without `{time}`, all runs have the same id, and a run is not started while
    /// one with that id is open. Default: `{schedule}-{time}`.
    pub fn workflow_id(mut self, pattern: impl Into<String>) -> Self {
        self.config.action.id = pattern.into();
        self
    }

    /// What happens if a run that it has started is open when the next is due. Default: [`Overlap::Skip`].
    pub fn overlap(mut self, overlap: Overlap) -> Self {
        self.config.overlap = overlap;
        self
    }

    /// The maximum delay with which a run is started if no worker was running at its time. A later run is missed.
    /// Default: one minute.
    pub fn catch_up_window(mut self, window: Duration) -> Self {
        self.config.catch_up_ms = u64::try_from(window.as_millis()).unwrap_or(u64::MAX);
        self
    }

    /// Pauses it when a run fails; one that is cancelled or terminated does not count. With [`Overlap::AllowAll`], the
    /// next run may have been started before. Default: off.
    pub fn pause_on_failure(mut self, pause: bool) -> Self {
        self.config.pause_on_failure = pause;
        self
    }

    /// How many runs may wait with [`Overlap::BufferAll`]; others are dropped. Default: any number.
    pub fn max_buffered(mut self, most: u64) -> Self {
        self.config.max_buffered = Some(most);
        self
    }

    /// How many runs it starts of itself; then it acts as if it were paused. Triggers and backfills do not count.
    /// Default: any number.
    pub fn max_actions(mut self, most: u64) -> Self {
        self.max_actions = Some(most);
        self
    }

    /// Has it begin paused. `note` says why, for people.
    pub fn paused(mut self, note: impl Into<String>) -> Self {
        self.paused = Some(note.into());
        self
    }

    async fn create(self) -> Result<Schedule, ScheduleError> {
        let Self { schedule, starts, paused, max_actions, .. } = self;
        let mut config = self.config;
        self.attributes.apply_to(&mut config.action.attributes);
        let starts = starts?;
        let client = schedule.client.clone();
        let store = client.store();
        KeyError::check(&schedule.id).map_err(ScheduleError::Id)?;
        let now = patiently(|| store.now()).await?;
        check(&config, &schedule.id, now)?;
        let (workflow, arguments) = starts.recorded(&client).await?;
        if let Some(signal) = &config.action.signal {
            client.record_scheduled(signal, &workflow).await?;
        }
        let mut state = State::new(now);
        state.remaining = max_actions;
        let mut log = vec![entry(&LogKind::Created, None, None)];
        if let Some(note) = paused {
            (state.paused, state.note) = (true, note.clone());
            log.push(entry(&LogKind::Paused { note }, None, None));
        }
        let new = NewSchedule {
            id: schedule.id.clone(),
            token: store.new_run_id().as_uuid(),
            workflow,
            arguments,
            config: write(&config),
            state: write(&state),
            due_at: Some(now),
            log,
        };
        match patiently(|| store.create_schedule(new.clone())).await? {
            ScheduleCreated::Created => Ok(schedule),
            ScheduleCreated::IdTaken => Err(ScheduleError::Exists { id: schedule.id }),
        }
    }
}

/// Checks the configuration of a schedule that continues from `now`.
pub(super) fn check(config: &Config, id: &str, now: Timestamp) -> Result<(), ScheduleError> {
    let times = config.spec.compile()?;
    if times.next(UnixSeconds::from_micros(now.0)).is_none() {
        return Err(ScheduleError::Over);
    }
    let attributes = AttributeChanges::from(config.action.attributes.clone());
    attributes.check().map_err(ScheduleError::Attributes)?;
    config.action.memo.check().map_err(|bytes| ScheduleError::Memo { bytes })?;
    if let Some(found) = config.action.unknown_placeholder() {
        let near = near(found, [SCHEDULE, TIME]).map(str::to_owned);
        return Err(ScheduleError::Placeholder { found: found.to_owned(), near });
    }
    KeyError::check(&config.action.workflow_id(id, now)).map_err(ScheduleError::WorkflowId)
}

impl IntoFuture for CreateSchedule {
    type Output = Result<Schedule, ScheduleError>;
    type IntoFuture = Pin<Box<dyn Future<Output = Self::Output> + Send>>;

    /// Creates the schedule. Dropping the future may or may not create it.
    fn into_future(self) -> Self::IntoFuture {
        Box::pin(self.create())
    }
}
