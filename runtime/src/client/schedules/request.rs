//! Starting runs of a schedule by hand: triggers and backfills.

use std::future::IntoFuture;
use std::pin::Pin;

use piton_schedule::UnixSeconds;

use super::Schedule;
use super::change::read;
use crate::engine::backoff::patiently;
use crate::error::ScheduleError;
use crate::model::Timestamp;
use crate::schedules::{self, Config, Item, ItemKind, LogKind, Overlap};

/// A request for a run: await it. See [`Schedule::trigger`].
#[derive(Clone, Debug)]
#[must_use = "nothing is triggered until this is awaited"]
pub struct Trigger {
    schedule: Schedule,
    overlap: Option<Overlap>,
}

impl Trigger {
    pub(super) fn new(schedule: Schedule) -> Self {
        Self { schedule, overlap: None }
    }

    /// Sets what happens if a run of the schedule is open. Default: the schedule's policy.
    pub fn overlap(mut self, overlap: Overlap) -> Self {
        self.overlap = Some(overlap);
        self
    }

    async fn trigger(self) -> Result<(), ScheduleError> {
        let change = self.schedule.change(None, |change| {
            let (nominal, kind) = (change.now, ItemKind::Trigger(change.request));
            change.state.waiting.push_back(Item { nominal, kind, overlap: self.overlap });
            change.log.push(LogKind::Triggered);
            Ok(())
        });
        change.await
    }
}

impl IntoFuture for Trigger {
    type Output = Result<(), ScheduleError>;
    type IntoFuture = Pin<Box<dyn Future<Output = Self::Output> + Send>>;

    /// Requests the run. If the future is dropped, the run may or may not have been requested.
    fn into_future(self) -> Self::IntoFuture {
        Box::pin(self.trigger())
    }
}

/// A request for the runs of a period: await it. See [`Schedule::backfill`].
#[derive(Clone, Debug)]
#[must_use = "nothing is started until this is awaited"]
pub struct Backfill {
    schedule: Schedule,
    from: Timestamp,
    to: Timestamp,
    overlap: Option<Overlap>,
    max_runs: usize,
}

impl Backfill {
    /// How many runs a backfill may start by default.
    pub const MAX_RUNS: usize = 10_000;

    pub(super) fn new(schedule: Schedule, from: Timestamp, to: Timestamp) -> Self {
        Self { schedule, from, to, overlap: None, max_runs: Self::MAX_RUNS }
    }

    /// Sets how many runs it may start. A backfill of a period with more times is refused. Default:
    /// [`MAX_RUNS`](Self::MAX_RUNS).
    pub fn max_runs(mut self, most: usize) -> Self {
        self.max_runs = most;
        self
    }

    /// Sets what happens if a run of the schedule is open. Default: the schedule's policy.
    pub fn overlap(mut self, overlap: Overlap) -> Self {
        self.overlap = Some(overlap);
        self
    }

    /// The times of the period, at most `limit`, without starting anything.
    ///
    /// # Errors
    /// [`ScheduleError::Unknown`] if there is no such schedule, [`ScheduleError::Period`],
    /// [`ScheduleError::Future`], [`ScheduleError::Store`].
    pub async fn times(&self, limit: usize) -> Result<Vec<Timestamp>, ScheduleError> {
        let now = patiently(|| self.schedule.client.store().now()).await?;
        let period = self.period(now)?;
        let record = self.schedule.find().await?;
        let config: Config = read("config", &record.config)?;
        let times = times(&config, period)?.take(limit);
        Ok(times.map(|at| Timestamp(at.as_micros())).collect())
    }

    /// The period, if it ends by `now`.
    fn period(&self, now: Timestamp) -> Result<Period, ScheduleError> {
        if self.to < self.from {
            return Err(ScheduleError::Period);
        }
        if self.to > now {
            return Err(ScheduleError::Future { to: self.to, now });
        }
        let before = UnixSeconds::from_micros(self.from.0.saturating_sub(1));
        Ok((before, UnixSeconds::from_micros(self.to.0)))
    }

    async fn backfill(self) -> Result<(), ScheduleError> {
        let change = self.schedule.change(None, |change| {
            let (until, to) = self.period(change.now)?;
            if times(&change.config, (until, to))?.nth(self.max_runs).is_some() {
                return Err(ScheduleError::TooManyTimes { most: self.max_runs });
            }
            let (request, overlap) = (change.request, self.overlap);
            change.state.backfills.push(schedules::Backfill { request, until, to, overlap });
            change
                .log
                .push(LogKind::Backfilled { from: self.from.to_string(), to: self.to.to_string() });
            Ok(())
        });
        change.await
    }
}

/// The second before the first time of a backfill, and the last time.
type Period = (UnixSeconds, UnixSeconds);

/// The times of a schedule in a period.
fn times(
    config: &Config,
    (until, to): Period,
) -> Result<impl Iterator<Item = UnixSeconds>, ScheduleError> {
    let times = config.spec.compile()?;
    let next = move |until: &UnixSeconds| times.next(*until).filter(|at| *at <= to);
    Ok(std::iter::successors(next(&until), next))
}

impl IntoFuture for Backfill {
    type Output = Result<(), ScheduleError>;
    type IntoFuture = Pin<Box<dyn Future<Output = Self::Output> + Send>>;

    /// Requests the runs. If the future is dropped, they may or may not have been requested.
    fn into_future(self) -> Self::IntoFuture {
        Box::pin(self.backfill())
    }
}
