//! The description and the log of a schedule.

use std::time::Duration;

use piton_schedule::Spec;
use serde::Serialize;

use super::Schedule;
use super::change::read;
use crate::engine::backoff::patiently;
use crate::error::{ScheduleError, StoreError};
use crate::model::{
    AttributeMap, Memo, OnTimeout, Payload, RunId, TimeoutClock, Timestamp, WorkflowRetry,
};
use crate::schedules::{
    Config, Counts, LogEntry, LogKind, NO_WORKFLOW, Overlap, Running, SignalAction, State,
    read_entry,
};
use crate::store::{RunKey, RunRecord, ScheduleRecord};

/// The maximum number of next times in a description.
const NEXT: usize = 10;

/// The number of log entries to read at a time.
const PAGE: u32 = 100;

/// A schedule, read at one moment.
#[derive(Clone, Debug, PartialEq, Serialize)]
pub struct ScheduleDescription {
    /// Its id.
    pub id: String,
    /// How often its configuration was changed. An [update](super::UpdateSchedule::revision) can require this
    /// number.
    pub revision: i64,
    /// When it was created.
    pub created_at: Timestamp,
    /// The stored name of the workflow that it starts; `None` if it only sends signals.
    pub workflow: Option<String>,
    /// The stored name of the signal that it sends.
    pub signal: Option<String>,
    /// The encoded signal; [`Client::payload_json`](super::Client::payload_json) shows it.
    #[serde(skip)]
    pub signal_payload: Option<Payload>,
    /// The encoded arguments; [`Client::payload_json`](super::Client::payload_json) shows them.
    #[serde(skip)]
    pub arguments: Payload,
    /// See [`CreateSchedule::workflow_id`](super::CreateSchedule::workflow_id).
    pub workflow_id: String,
    /// The limit for a run that it starts, with all runs that follow it.
    pub execution_timeout: Option<Duration>,
    /// The limit for each run.
    pub run_timeout: Option<Duration>,
    /// Which time these two limits count.
    pub timeout_clock: TimeoutClock,
    /// What happens when one of them has passed.
    pub on_timeout: OnTimeout,
    /// How long a run may clean up after a timeout.
    pub cleanup_timeout: Duration,
    /// The retry policy of its runs.
    pub retry: Option<WorkflowRetry>,
    /// The attributes that runs are started with.
    pub attributes: AttributeMap,
    /// The memo that runs are started with.
    pub memo: Memo,
    /// The spec as it was given.
    pub spec: Spec,
    /// The same spec in its canonical form.
    pub canonical: Spec,
    /// What happens if a run is open when the next is due.
    pub overlap: Overlap,
    /// The maximum delay of a run.
    pub catch_up_window: Duration,
    /// Whether a failed run pauses it.
    pub pause_on_failure: bool,
    /// The maximum number of waiting runs.
    pub max_buffered: Option<u64>,
    /// Whether it is paused.
    pub paused: bool,
    /// Why it is paused, or was resumed.
    pub note: String,
    /// How many more runs it may start by its spec.
    pub remaining_actions: Option<u64>,
    /// The runs that were open when a worker last checked; of a chain, the last run.
    pub running: Vec<RunId>,
    /// The nominal times of runs that wait for others to close.
    pub waiting: Vec<Timestamp>,
    /// Whether it has unfinished backfills.
    pub is_backfilling: bool,
    /// The numbers of started, skipped and missed runs.
    pub counts: Counts,
    /// The next times at which it starts runs, with jitter: at most ten, none if it is paused.
    pub next: Vec<Timestamp>,
}

/// The earlier runs of a schedule, as seen by one of its runs. See [`Schedule::before`].
#[derive(Clone, Debug)]
pub struct Before {
    /// The run that had completed last when this run was started.
    pub last_completed: Option<RunRecord>,
    /// The run that had failed last when this run was started; `None` if a run has completed since.
    pub last_failed: Option<RunRecord>,
}

impl Schedule {
    /// Its configuration, its progress, and its next times.
    ///
    /// # Errors
    /// [`ScheduleError::Unknown`] if there is no such schedule, [`ScheduleError::Store`].
    pub async fn describe(&self) -> Result<ScheduleDescription, ScheduleError> {
        described(self.find().await?)
    }

    /// The log of its actions and of changes of it, the newest first, at most `limit`; with `before`, only entries
    /// with lower numbers. The last 500 entries are kept.
    ///
    /// # Errors
    /// [`ScheduleError::Store`].
    pub async fn log(
        &self,
        before: Option<i64>,
        limit: u32,
    ) -> Result<Vec<LogEntry>, ScheduleError> {
        let store = self.client.store();
        let page = patiently(|| store.list_schedule_log(&self.id, before, limit)).await?;
        let entries: Result<Vec<LogEntry>, StoreError> = page.into_iter().map(read_entry).collect();
        Ok(entries?)
    }

    /// The runs of the schedule that had completed and failed last when this run was started, whatever has happened
    /// since. The failed run is `None` if a run has completed after it. Runs that were cancelled or terminated
    /// count as neither. Returns `None` if the schedule has not started this run, or if its log no longer contains
    /// the start.
    ///
    /// # Errors
    /// [`ScheduleError::Store`].
    pub async fn before(&self, run_id: RunId) -> Result<Option<Before>, ScheduleError> {
        let store = self.client.store();
        // The run that the schedule has started is the first of its chain.
        let kin = patiently(|| store.find_kin(run_id)).await?;
        let run_id = kin.map_or(run_id, |kin| kin.first_run_id);
        let mut behind = None;
        loop {
            let page = self.log(behind, PAGE).await?;
            let Some(last) = page.last() else { return Ok(None) };
            behind = Some(last.seq);
            let Some(entry) = page.into_iter().find(|entry| entry.run_id == Some(run_id)) else {
                continue;
            };
            let LogKind::Started { last_completed, last_failed } = entry.what else { continue };
            return Ok(Some(Before {
                last_completed: self.run(last_completed).await?,
                last_failed: self.run(last_failed).await?,
            }));
        }
    }

    async fn run(&self, run_id: Option<RunId>) -> Result<Option<RunRecord>, StoreError> {
        let Some(run_id) = run_id else { return Ok(None) };
        self.client.find(RunKey::RunId(run_id)).await
    }
}

pub(super) fn described(record: ScheduleRecord) -> Result<ScheduleDescription, ScheduleError> {
    let config: Config = read("config", &record.config)?;
    let state: State = read("state", &record.state)?;
    let times = config.spec.compile()?;
    let terms = config.action.terms.clone().into_terms().unwrap_or_default();
    let signal = config.action.signal.clone();
    let (signal, signal_payload) =
        signal.map(|SignalAction { name, payload }| (name, payload)).unzip();
    let due = |nominal: piton_schedule::UnixSeconds| {
        Timestamp(nominal.as_micros()) + times.jitter(&record.id, nominal)
    };
    let count = state.remaining.map_or(NEXT, |left| NEXT.min(left as usize));
    let count = if state.is_live() { count } else { 0 };
    Ok(ScheduleDescription {
        next: times.after(state.until).take(count).map(due).collect(),
        canonical: config.spec.canonical()?,
        revision: record.revision,
        created_at: record.created_at,
        workflow: Some(record.workflow).filter(|workflow| workflow != NO_WORKFLOW),
        signal,
        signal_payload,
        arguments: record.arguments,
        catch_up_window: config.catch_up(),
        workflow_id: config.action.id,
        execution_timeout: terms.execution_timeout,
        run_timeout: terms.run_timeout,
        timeout_clock: terms.clock,
        on_timeout: terms.on_timeout,
        cleanup_timeout: terms.cleanup_timeout,
        retry: terms.retry,
        attributes: config.action.attributes,
        memo: config.action.memo,
        overlap: config.overlap,
        pause_on_failure: config.pause_on_failure,
        max_buffered: config.max_buffered,
        paused: state.paused,
        note: state.note,
        remaining_actions: state.remaining,
        running: state.running.iter().map(Running::last).collect(),
        waiting: state.waiting.iter().map(|item| item.nominal).collect(),
        is_backfilling: !state.backfills.is_empty(),
        counts: state.counts,
        spec: config.spec,
        id: record.id,
    })
}
