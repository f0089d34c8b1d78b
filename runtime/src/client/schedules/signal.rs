//! Schedules that send signals.

use piton_schedule::Spec;
use serde_json::Value;

use super::{CreateSchedule, Schedule, UpdateSchedule};
use crate::error::ScheduleError;
use crate::machine::Signal;
use crate::model::Payload;
use crate::schedules::SignalAction;

impl Schedule {
    /// Creates it as one that starts no runs, but sends this signal, at each time, to the open run with a workflow id:
    /// `client.schedule("poke").create_signal(spec, "order-42", Poke { urgent: true }).await?`, after setting options. In
    /// the workflow id, `{schedule}` and `{time}` stand for what they do in
    /// [`workflow_id`](CreateSchedule::workflow_id). If there is no such run, nothing is sent, and the schedule's log says
    /// so.
    ///
    /// A signal is sent once per time, whatever workers die meanwhile. It is done when it is in the run's inbox, so that
    /// overlap policies and [`pause_on_failure`](CreateSchedule::pause_on_failure) have no effect. Any worker that has
    /// workflows looks after the schedule.
    pub fn create_signal<S: Signal>(
        &self,
        spec: Spec,
        workflow_id: impl Into<String>,
        signal: S,
    ) -> CreateSchedule {
        let create = CreateSchedule::new(self.clone(), spec, String::new(), nothing());
        create.workflow_id(workflow_id).signal(signal)
    }

    /// The same by the signal's stored name, with its value as JSON. Whether the run can read it shows when it does.
    pub fn create_signal_json(
        &self,
        spec: Spec,
        workflow_id: impl Into<String>,
        name: impl Into<String>,
        value: &Value,
    ) -> CreateSchedule {
        let create = CreateSchedule::new(self.clone(), spec, String::new(), nothing());
        create.workflow_id(workflow_id).signal_json(name, value)
    }
}

/// The arguments of a schedule that starts nothing.
fn nothing() -> Payload {
    Payload::from_json(&Value::Array(Vec::new()))
}

/// Signals in place of, or together with, starts of runs.
impl CreateSchedule {
    /// Sends this signal to the open run with the [workflow id](Self::workflow_id); if there is none, starts one with the
    /// signal in its inbox. See [`Schedule::create_signal`]. Default: no signal; runs are started.
    pub fn signal<S: Signal>(self, signal: S) -> Self {
        self.with_signal(of(&signal))
    }

    /// The same by the signal's stored name, with its value as JSON.
    pub fn signal_json(self, name: impl Into<String>, value: &Value) -> Self {
        let (name, payload) = (name.into(), Payload::from_json(value));
        self.with_signal(Ok(SignalAction { name, payload }))
    }

    fn with_signal(mut self, signal: Result<SignalAction, ScheduleError>) -> Self {
        match signal {
            Ok(signal) => self.config.action.signal = Some(signal),
            Err(error) => self.action = Err(error),
        }
        self
    }
}

impl UpdateSchedule {
    /// What is sent from now on. See [`CreateSchedule::signal`].
    pub fn signal<S: Signal>(mut self, signal: S) -> Self {
        self.signal = Some(of(&signal));
        self
    }

    /// The same by the signal's stored name, with its value as JSON.
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
