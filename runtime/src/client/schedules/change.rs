//! Changing a schedule: read it, change it, and write it if its version is still the same.

use piton_schedule::UnixSeconds;

use super::Schedule;
use crate::engine::backoff::patiently;
use crate::error::{ScheduleError, StoreError};
use crate::model::{Payload, Timestamp};
use crate::schedules::{Config, LogKind, State, entry};
use crate::store::{SaveSchedule, ScheduleChange, ScheduleRecord};

/// How many requests are remembered, so that one whose answer was lost is not carried out twice.
const MAX_REQUESTS: usize = 32;

/// A schedule that is being changed.
pub(super) struct Change {
    pub(super) workflow: String,
    pub(super) arguments: Payload,
    pub(super) config: Config,
    pub(super) state: State,
    pub(super) now: Timestamp,
    pub(super) log: Vec<LogKind>,
    /// What tells this request from others.
    pub(super) request: u64,
    /// Whether what it says is changed.
    pub(super) says_else: bool,
}

impl Change {
    pub(super) fn seconds(&self) -> UnixSeconds {
        UnixSeconds::from_micros(self.now.0)
    }
}

impl Schedule {
    pub(super) async fn find(&self) -> Result<ScheduleRecord, ScheduleError> {
        let found = patiently(|| self.client.store().find_schedule(&self.id)).await?;
        found.ok_or_else(|| ScheduleError::Unknown { id: self.id.clone() })
    }

    /// Changes it, again until nobody has written it in between. With `revision`, only that one is changed.
    pub(super) async fn change(
        &self,
        revision: Option<i64>,
        change: impl Fn(&mut Change) -> Result<(), ScheduleError>,
    ) -> Result<(), ScheduleError> {
        let id = self.client.store().new_run_id();
        let bytes = id.as_bytes().last_chunk().copied().unwrap_or_default();
        let request = u64::from_be_bytes(bytes);
        loop {
            let record = self.find().await?;
            let state = read("state", &record.state)?;
            let now = patiently(|| self.client.store().now()).await?;
            let mut changed = Change {
                workflow: record.workflow,
                arguments: record.arguments,
                config: read("config", &record.config)?,
                state,
                now,
                log: Vec::new(),
                request,
                says_else: false,
            };
            if changed.state.requests.contains(&request) {
                // It was written, and the answer was lost.
                return Ok(());
            }
            if let Some(expected) = revision.filter(|expected| *expected != record.revision) {
                let (id, revision) = (self.id.clone(), record.revision);
                return Err(ScheduleError::Moved { id, revision, expected });
            }
            if !changed.state.is_live() {
                // What has fallen due meanwhile is not caught up with, should the change make it live.
                changed.state.until = changed.state.until.max(changed.seconds());
            }
            let (config, state) = (changed.config.clone(), changed.state.clone());
            change(&mut changed)?;
            if changed.says_else {
                // The next time is that of another spec, and has not moved.
                changed.state.foreseen = None;
            }
            changed.state.doubt((&config, &state), &self.id, now);
            changed.state.requests.push_back(request);
            if changed.state.requests.len() > MAX_REQUESTS {
                changed.state.requests.pop_front();
            }
            let says = changed.says_else.then(|| ScheduleChange {
                workflow: changed.workflow,
                arguments: changed.arguments,
                config: write(&changed.config),
            });
            let save = SaveSchedule {
                id: record.id,
                token: record.token,
                version: record.version,
                state: write(&changed.state),
                due_at: Some(now),
                change: says,
                log: changed.log.iter().map(|what| entry(what, None, None)).collect(),
            };
            let saved =
                patiently(|| self.client.store().save_schedules(vec![save.clone()])).await?;
            if saved.first().is_some_and(|saved| *saved) {
                return Ok(());
            }
        }
    }
}

pub(super) fn read<T: serde::de::DeserializeOwned>(
    what: &'static str,
    json: &str,
) -> Result<T, StoreError> {
    serde_json::from_str(json).map_err(|error| StoreError::Corrupt {
        what: "schedule",
        reason: format!("its {what} cannot be read: {error}"),
    })
}

pub(super) fn write(value: &impl serde::Serialize) -> String {
    // Structs with texts and numbers always have a JSON form.
    serde_json::to_string(value).unwrap_or_default()
}
