//! Schedules, and which of them are due.

use std::collections::BTreeMap;

use async_trait::async_trait;

use super::MemoryStore;
use super::state::State;
use crate::error::StoreError;
use crate::model::Timestamp;
use crate::store::weight::Answer;
use crate::store::{
    ClaimSchedules, ClaimedSchedules, MAX_SCHEDULE_LOG, NewSchedule, NewScheduleLogEntry,
    SaveSchedule, ScheduleCreated, ScheduleLogEntry, ScheduleRecord, Schedules,
};

/// A schedule with its log, by number.
pub(super) struct ScheduleRow {
    record: ScheduleRecord,
    log: BTreeMap<i64, ScheduleLogEntry>,
    log_count: i64,
}

impl ScheduleRow {
    fn add(&mut self, entries: Vec<NewScheduleLogEntry>, at: Timestamp) {
        for entry in entries {
            self.log_count += 1;
            self.log.insert(self.log_count, ScheduleLogEntry { seq: self.log_count, at, entry });
        }
        self.log = self.log.split_off(&(self.log_count - i64::from(MAX_SCHEDULE_LOG) + 1));
    }
}

#[async_trait]
impl Schedules for MemoryStore {
    async fn create_schedule(&self, schedule: NewSchedule) -> Result<ScheduleCreated, StoreError> {
        let created = self
            .request("create_schedule", |state, now, _| Ok(state.create_schedule(schedule, now)));
        let created = created.await?;
        self.hub.announce_schedule();
        Ok(created)
    }

    async fn find_schedule(&self, id: &str) -> Result<Option<ScheduleRecord>, StoreError> {
        self.transition("find_schedule", |state, _, _| {
            Ok(state.schedules.get(id).map(|row| row.record.clone()))
        })
        .await
    }

    async fn list_schedules(
        &self,
        workflow: Option<&str>,
        after: Option<&str>,
        limit: u32,
    ) -> Result<Vec<ScheduleRecord>, StoreError> {
        self.transition("list_schedules", |state, _, _| {
            let mut answer = Answer::default();
            let records = state.schedules.values().map(|row| &row.record);
            let matching = records
                .filter(|record| workflow.is_none_or(|workflow| record.workflow == workflow))
                .filter(|record| after.is_none_or(|after| record.id.as_str() > after))
                .take(limit as usize);
            let weight = |record: &ScheduleRecord| {
                record.arguments.0.len() + record.config.len() + record.state.len()
            };
            Ok(matching.take_while(|record| answer.takes(weight(record))).cloned().collect())
        })
        .await
    }

    async fn count_schedules(&self, workflow: Option<&str>) -> Result<u64, StoreError> {
        self.transition("count_schedules", |state, _, _| {
            let rows = state.schedules.values();
            let matching =
                rows.filter(|row| workflow.is_none_or(|workflow| row.record.workflow == workflow));
            Ok(matching.count() as u64)
        })
        .await
    }

    async fn claim_schedules(
        &self,
        request: ClaimSchedules<'_>,
    ) -> Result<ClaimedSchedules, StoreError> {
        self.transition("claim_schedules", |state, now, _| Ok(state.claim_schedules(request, now)))
            .await
    }

    async fn save_schedules(&self, changes: Vec<SaveSchedule>) -> Result<Vec<bool>, StoreError> {
        let saved = self.request("save_schedules", |state, now, _| {
            Ok(changes.into_iter().map(|save| state.save_schedule(save, now)).collect())
        });
        let saved = saved.await?;
        self.hub.announce_schedule();
        Ok(saved)
    }

    async fn delete_schedule(&self, id: &str) -> Result<bool, StoreError> {
        let id = id.to_owned();
        self.request("delete_schedule", move |state, _, _| {
            Ok(state.schedules.remove(&id).is_some())
        })
        .await
    }

    async fn list_schedule_log(
        &self,
        id: &str,
        before: Option<i64>,
        limit: u32,
    ) -> Result<Vec<ScheduleLogEntry>, StoreError> {
        self.transition("list_schedule_log", |state, _, _| {
            let Some(row) = state.schedules.get(id) else { return Ok(Vec::new()) };
            let mut answer = Answer::default();
            let entries = row.log.range(..before.unwrap_or(i64::MAX)).rev().map(|(_, entry)| entry);
            let weight =
                |entry: &ScheduleLogEntry| entry.entry.details.as_ref().map_or(0, String::len);
            let fitting =
                entries.take(limit as usize).take_while(|entry| answer.takes(weight(entry)));
            Ok(fitting.cloned().collect())
        })
        .await
    }
}

impl State {
    fn create_schedule(&mut self, schedule: NewSchedule, now: Timestamp) -> ScheduleCreated {
        if let Some(row) = self.schedules.get(&schedule.id) {
            return match row.record.token == schedule.token {
                true => ScheduleCreated::Created,
                false => ScheduleCreated::IdTaken,
            };
        }
        let NewSchedule { id, token, workflow, arguments, config, state, due_at, log } = schedule;
        let record = ScheduleRecord {
            id: id.clone(),
            token,
            version: 0,
            revision: 0,
            workflow,
            arguments,
            config,
            state,
            due_at,
            created_at: now,
        };
        let mut row = ScheduleRow { record, log: BTreeMap::new(), log_count: 0 };
        row.add(log, now);
        self.schedules.insert(id, row);
        self.counts.transactions += 1;
        ScheduleCreated::Created
    }

    fn claim_schedules(&mut self, request: ClaimSchedules<'_>, now: Timestamp) -> ClaimedSchedules {
        let is_wanted = |row: &&mut ScheduleRow| {
            request.workflows.contains(&row.record.workflow.as_str()) && row.record.due_at.is_some()
        };
        let mut waiting: Vec<_> = self.schedules.values_mut().filter(is_wanted).collect();
        waiting.sort_by_key(|row| row.record.due_at);
        let mut claimed = ClaimedSchedules { now, ..ClaimedSchedules::default() };
        for row in &mut waiting {
            let is_due = row.record.due_at.is_some_and(|due_at| due_at <= now);
            if is_due && claimed.schedules.len() < request.limit as usize {
                row.record.version += 1;
                row.record.due_at = Some(now + request.hold);
                claimed.schedules.push(row.record.clone());
            }
        }
        claimed.next_due_at = waiting.iter().filter_map(|row| row.record.due_at).min();
        self.counts.transactions += u64::from(!claimed.schedules.is_empty());
        claimed
    }

    fn save_schedule(&mut self, save: SaveSchedule, now: Timestamp) -> bool {
        let Some(row) = self.schedules.get_mut(&save.id) else { return false };
        let record = &mut row.record;
        if (record.token, record.version) != (save.token, save.version) {
            return false;
        }
        record.version += 1;
        (record.state, record.due_at) = (save.state, save.due_at);
        if let Some(change) = save.change {
            record.revision += 1;
            record.workflow = change.workflow;
            record.arguments = change.arguments;
            record.config = change.config;
        }
        row.add(save.log, now);
        self.counts.transactions += 1;
        true
    }
}
