//! Schedules that send signals.

use piton_schedule::Spec;
use serde_json::Value;

use super::action::Starts;
use super::{CreateSchedule, Schedule, UpdateSchedule};
use crate::error::ScheduleError;
use crate::machine::Signal;
use crate::model::Payload;
use crate::schedules::SignalAction;

impl Schedule {
    /// Creates the schedule as one that starts no runs, but sends this signal, at each time, to the open run with a
    /// workflow id: `client.schedule("poke").create_signal(spec, "order-42", Poke { urgent: true }).await?`, after
    /// setting options. The workflow id may contain `{schedule}` and `{time}`, see
    /// [`workflow_id`](CreateSchedule::workflow_id). If there is no such run, nothing is sent, and the schedule's
    /// log records that.
    ///
    /// A signal is sent once per time, even if workers die meanwhile. The action is complete when the signal is in
    /// the run's inbox, so overlap policies and [`pause_on_failure`](CreateSchedule::pause_on_failure) have no
    /// effect. Any worker with workflows runs the schedule.
    pub fn create_signal<S: Signal>(
        &self,
        spec: Spec,
        workflow_id: impl Into<String>,
        signal: S,
    ) -> CreateSchedule {
        let create = CreateSchedule::new(self.clone(), spec, Ok(Starts::Nothing));
        create.workflow_id(workflow_id).signal(signal)
    }

    /// Like [`create_signal`](Self::create_signal), by the signal's stored name, with its value as JSON. Which workflow
    /// reads it is not known, so a value that does not fit is found when the run reads it.
    pub fn create_signal_json(
        &self,
        spec: Spec,
        workflow_id: impl Into<String>,
        name: impl Into<String>,
        value: &Value,
    ) -> CreateSchedule {
        let create = CreateSchedule::new(self.clone(), spec, Ok(Starts::Nothing));
        create.workflow_id(workflow_id).signal_json(name, value)
    }
}

/// Signals instead of starts of runs, or together with them.
impl CreateSchedule {
    /// Sends this signal to the open run with the [workflow id](Self::workflow_id); if there is none, starts one with the
    /// signal in its inbox. The workflow must await such a signal, see [`ScheduleError::Awaited`]. See
    /// [`Schedule::create_signal`]. Default: no signal; runs are started.
    pub fn signal<S: Signal>(self, signal: S) -> Self {
        self.with_signal(of(&signal))
    }

    /// Like [`signal`](Self::signal), by the signal's stored name, with its value as JSON.
    pub fn signal_json(self, name: impl Into<String>, value: &Value) -> Self {
        let (name, payload) = (name.into(), Payload::from_json(value));
        self.with_signal(Ok(SignalAction { name, payload }))
    }

    fn with_signal(mut self, signal: Result<SignalAction, ScheduleError>) -> Self {
        match signal {
            Ok(signal) => self.config.action.signal = Some(signal),
            Err(error) => self.starts = Err(error),
        }
        self
    }
}

impl UpdateSchedule {
    /// Changes the signal. See [`CreateSchedule::signal`].
    pub fn signal<S: Signal>(mut self, signal: S) -> Self {
        self.signal = Some(of(&signal));
        self
    }

    /// Like [`signal`](Self::signal), by the signal's stored name, with its value as JSON.
    pub fn signal_json(mut self, name: impl Into<String>, value: &Value) -> Self {
        let (name, payload) = (name.into(), Payload::from_json(value));
        self.signal = Some(Ok(SignalAction { name, payload }));
        self
    }
}

fn of<S: Signal>(signal: &S) -> Result<SignalAction, ScheduleError> {
    let payload = signal.to_payload();
    let payload = payload.map_err(|source| ScheduleError::Signal { signal: S::NAME, source })?;
    Ok(SignalAction { name: S::NAME.to_owned(), payload })
}
