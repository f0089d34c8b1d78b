//! Starts with policies, and timeouts, in the in-memory store.

use async_trait::async_trait;

use super::state::{News, State};
use super::{Guard, MemoryStore, Write};
use crate::error::StoreError;
use crate::model::{RunId, RunStatus, Terms, Timestamp};
use crate::store::{
    Ending, ExpireRun, Expired, ExpiredRun, IdPolicy, Lifecycle, NewRun, StartOutcome,
};

#[async_trait]
impl Lifecycle for MemoryStore {
    async fn start_by_policy(
        &self,
        run: NewRun,
        policy: IdPolicy,
    ) -> Result<StartOutcome, StoreError> {
        self.request("start_by_policy", move |state, now, news| {
            Ok(state.start_by_policy(run, policy, now, news))
        })
        .await
    }

    async fn find_terms(&self, run_id: RunId) -> Result<Option<Terms>, StoreError> {
        self.transition("find_terms", |state, _, _| {
            Ok(state.runs.get(&run_id).and_then(|row| row.terms.as_deref().cloned()))
        })
        .await
    }

    async fn find_expired(
        &self,
        after: Option<(Timestamp, RunId)>,
        limit: u32,
    ) -> Result<Expired, StoreError> {
        self.transition("find_expired", |state, now, _| {
            let due = state.runs.values().filter(|row| row.status.is_open());
            let due = due.filter_map(|row| Some((row.deadline_at?, row)));
            let due = due.filter(|(at, row)| {
                *at <= now && after.is_none_or(|after| (*at, row.run_id) > after)
            });
            let mut due: Vec<_> = due.collect();
            due.sort_by_key(|(at, row)| (*at, row.run_id));
            let expired = due.into_iter().filter_map(|(deadline_at, row)| {
                Some(ExpiredRun {
                    run_id: row.run_id,
                    workflow_id: row.workflow_id.clone(),
                    workflow: row.workflow.clone(),
                    arguments: row.arguments.clone(),
                    terms: row.terms.as_deref().cloned()?,
                    deadline_at,
                    found_at: now,
                })
            });
            let runs: Vec<_> = expired.take(limit as usize).collect();
            let last = runs.last().map(|run| (run.deadline_at, run.run_id));
            let has_more = runs.len() >= limit as usize;
            Ok(Expired { runs, last, has_more, ..Expired::default() })
        })
        .await
    }

    async fn defer_deadline(
        &self,
        run_id: RunId,
        from: Timestamp,
        to: Timestamp,
    ) -> Result<bool, StoreError> {
        self.request("defer_deadline", move |state, _, _| {
            let row = state.runs.get_mut(&run_id).filter(|row| row.deadline_at == Some(from));
            Ok(row.map(|row| row.deadline_at = Some(to)).is_some())
        })
        .await
    }

    async fn expire_run(&self, expiry: ExpireRun) -> Result<bool, StoreError> {
        self.request("expire_run", move |state, now, news| Ok(state.expire_run(expiry, now, news)))
            .await
    }
}

impl State {
    fn start_by_policy(
        &mut self,
        run: NewRun,
        policy: IdPolicy,
        now: Timestamp,
        news: &mut News<'_>,
    ) -> StartOutcome {
        let open = self.open.get(&run.workflow_id).copied();
        if self.runs.contains_key(&run.run_id) {
            return StartOutcome::Repeated;
        }
        let is_ended = policy.ends_open && open.is_some();
        if let Some(run_id) = open.filter(|_| !is_ended) {
            return StartOutcome::IdTaken { run_id };
        }
        let last = match open {
            Some(run_id) => Some((run_id, RunStatus::Terminated)),
            None => {
                let had = self.runs.values().filter(|row| row.workflow_id == run.workflow_id);
                let last = had.max_by_key(|row| (row.started_at, row.run_id));
                last.map(|row| (row.run_id, row.status))
            }
        };
        if let Some((run_id, status)) = last
            && !self.guard(Guard::IdReuse, policy.reuse.allows_after(status))
        {
            return StartOutcome::IdUsed { run_id };
        }
        if let Some(run_id) = open {
            self.terminate_run(run_id, IdPolicy::REASON, now, news);
        }
        self.start_run(NewRun { owner: None, ..run }, now, news)
    }

    fn expire_run(&mut self, expiry: ExpireRun, now: Timestamp, news: &mut News<'_>) -> bool {
        let Some(row) = self.runs.get_mut(&expiry.run_id) else { return false };
        if !row.status.is_open() || row.deadline_at != Some(expiry.deadline_at) {
            return false;
        }
        news.wrote(Write::Expired { expiry: &expiry });
        let ExpireRun { run_id, reason, successor, .. } = expiry;
        let left = if successor.is_some() { row.left_over() } else { Vec::new() };
        let (status, failure) = (RunStatus::TimedOut, Some(reason));
        row.close(Ending { status, result: None, failure }, now, news);
        row.deadline_at = None;
        self.open.remove(&row.workflow_id);
        self.counts.transactions += 1;
        self.give_up_all(run_id, news);
        match successor {
            Some(successor) => self.follow(run_id, *successor, left, now, news),
            None => self.tell_close(run_id, now, news),
        }
        true
    }
}
