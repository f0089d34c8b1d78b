//! Starts with policies, and timeouts.

use async_trait::async_trait;
use uuid::Uuid;

use super::effects::give_up;
use super::runs::start::insert;
use super::script::Script;
use super::{SqliteStore, attendance, failed, kin, messages};
use crate::error::StoreError;
use crate::model::{RunId, RunStatus, Terms, Timestamp};
use crate::store::rows::{DeadlineRow, TermsRow, read_status, write_terms};
use crate::store::{Ending, ExpireRun, Expired, IdPolicy, Lifecycle, NewRun, StartOutcome};

const ADD: &str = "INSERT INTO piton_terms (run_id, terms, last_result, deadline_at, attended) \
    VALUES (?, ?, ?, ?, ?); \
    UPDATE piton_runs INDEXED BY piton_runs_run_id SET has_terms = 1 WHERE run_id = ?; ";

const FIND: &str = "SELECT terms, last_result FROM piton_terms WHERE run_id = ?";

pub(super) const EXPIRED: &str = "SELECT run.run_id, run.workflow_id, run.workflow, input.arguments, agreed.deadline_at, \
    ?1 AS found_at, agreed.terms, agreed.last_result, run.closed_at IS NULL AS is_open FROM piton_terms AS agreed \
    CROSS JOIN piton_runs AS run ON run.run_id = agreed.run_id \
    LEFT JOIN piton_run_inputs AS input ON input.run_id = agreed.run_id \
    WHERE agreed.deadline_at <= ?1 AND agreed.deadline_at >= ?2 \
    AND (agreed.deadline_at > ?2 OR agreed.run_id > ?3) \
    ORDER BY agreed.deadline_at, agreed.run_id LIMIT ?4";

const FORGET: &str =
    "UPDATE piton_terms SET deadline_at = NULL WHERE run_id = ? AND deadline_at = ?; ";

const DEFER: &str =
    "UPDATE piton_terms SET deadline_at = ? WHERE run_id = ? AND deadline_at = ? RETURNING 1";

const EXPIRE: &str = "BEGIN IMMEDIATE; UPDATE piton_runs SET status = 'timed_out', closed_at = ?, blocked = NULL, \
    blocked_at = NULL, due_at = NULL, worker_id = NULL, epoch = NULL, failure = ? \
    WHERE run_id = ? AND closed_at IS NULL \
    AND EXISTS (SELECT 1 FROM piton_terms WHERE run_id = ? AND deadline_at = ?) \
    RETURNING has_kin IS NOT NULL AS has_kin; ";

const GIVE_UP: &str = "DELETE FROM piton_activities WHERE run_id = ? \
    RETURNING run_id, handle, worker_id IS NOT NULL AS is_made; ";

const LOOK: &str = "BEGIN IMMEDIATE; SELECT run_id FROM piton_runs WHERE run_id = ?; \
    SELECT run_id FROM piton_runs WHERE closed_at IS NULL AND workflow_id = ?; \
    SELECT run_id, status FROM piton_runs WHERE closed_at IS NOT NULL AND workflow_id = ? \
    ORDER BY started_at DESC, run_id DESC LIMIT 1";

/// Adds the terms, if any, of a run that this transaction has inserted.
pub(super) fn add_terms(
    script: &mut Script,
    run: &NewRun,
    now: Timestamp,
) -> Result<(), StoreError> {
    let Some(terms) = &run.terms else { return Ok(()) };
    let run_id = run.run_id.as_uuid();
    script.sql(ADD).bind(run_id).bind(write_terms(terms)?);
    script.bind(terms.last_result.as_ref().map(|result| result.as_bytes().to_vec()));
    script.bind(terms.deadline().map(Timestamp::as_micros));
    script.bind(terms.goes_by_attendance().then_some(1_i64)).bind(run_id);
    if terms.goes_by_attendance() {
        attendance::add_account(script, &run.workflow, now);
    }
    Ok(())
}

#[async_trait]
impl Lifecycle for SqliteStore {
    async fn start_by_policy(
        &self,
        run: NewRun,
        policy: IdPolicy,
    ) -> Result<StartOutcome, StoreError> {
        let failed = failed("start_by_policy");
        let mut script = Script::new();
        script.sql(LOOK).bind(run.run_id.as_uuid());
        script.bind(run.workflow_id.clone()).bind(run.workflow_id.clone());
        let mut turn = self.turn().await;
        let mut rows = turn.begin(script).await.map_err(failed)?;
        let open = rows.read::<(Uuid,)>(2).map_err(failed)?.pop().map(|(open,)| RunId::from(open));
        let last = rows.read::<(Uuid, String)>(3).map_err(failed)?.pop();
        let last = match (open, last) {
            (Some(open), _) => Some((open, RunStatus::Terminated)),
            (None, Some((last, status))) => Some((last.into(), read_status(&status)?)),
            (None, None) => None,
        };
        let obstacle = match (open, last) {
            _ if rows.any(1) => Some(StartOutcome::Repeated),
            (Some(run_id), _) if !policy.ends_open => Some(StartOutcome::IdTaken { run_id }),
            (_, Some((run_id, status))) if !policy.reuse.allows_after(status) => {
                Some(StartOutcome::IdUsed { run_id })
            }
            _ => None,
        };
        if let Some(obstacle) = obstacle {
            turn.roll_back().await;
            return Ok(obstacle);
        }
        let now = self.time();
        let mut script = Script::new();
        if let Some(open) = open {
            kin::add_terminations(&mut script, &[(open, IdPolicy::REASON.to_owned())], now)?;
        }
        insert(&mut script, &[(&run, None)], now)?;
        let mut rows = turn.commit(script).await.map_err(failed)?;
        if let Some(open) = open {
            give_up::announce(self, &mut rows, 2).map_err(failed)?;
            kin::announce(self, &mut rows, 3).map_err(failed)?;
            self.hub.announce_end(open, || Ending::terminated(IdPolicy::REASON));
        }
        self.hub.announce_due();
        Ok(StartOutcome::Started { owned: false })
    }

    async fn find_terms(&self, run_id: RunId) -> Result<Option<Terms>, StoreError> {
        let mut script = Script::new();
        script.sql(FIND).bind(run_id.as_uuid());
        let rows = self.read(script).await.and_then(|mut rows| rows.read::<TermsRow>(0));
        rows.map_err(failed("find_terms"))?.pop().map(Terms::try_from).transpose()
    }

    async fn find_expired(
        &self,
        after: Option<(Timestamp, RunId)>,
        limit: u32,
    ) -> Result<Expired, StoreError> {
        let failed = failed("find_expired");
        let now = self.time();
        let (at, run_id) = after.unwrap_or((Timestamp::MIN, RunId::from(Uuid::nil())));
        let mut script = Script::new();
        script.sql(EXPIRED).bind(now.as_micros()).bind(at.as_micros());
        script.bind(run_id.as_uuid()).bind(limit);
        let rows = self.read(script).await.and_then(|mut rows| rows.read::<DeadlineRow>(0));
        let rows = rows.map_err(failed)?;
        if rows.iter().any(|row| !row.is_open) {
            let mut script = Script::new();
            script.sql("BEGIN IMMEDIATE; ");
            for row in rows.iter().filter(|row| !row.is_open) {
                script.sql(FORGET).bind(row.run_id).bind(row.deadline_at);
            }
            script.sql("COMMIT");
            self.turn().await.run(script).await.map_err(failed)?;
        }
        Ok(Expired::of(rows, limit))
    }

    async fn defer_deadline(
        &self,
        run_id: RunId,
        from: Timestamp,
        to: Timestamp,
    ) -> Result<bool, StoreError> {
        let mut script = Script::new();
        script.sql(DEFER).bind(to.as_micros()).bind(run_id.as_uuid()).bind(from.as_micros());
        let rows = self.turn().await.run(script).await;
        Ok(rows.map_err(failed("defer_deadline"))?.any(0))
    }

    async fn expire_run(&self, expiry: ExpireRun) -> Result<bool, StoreError> {
        let failed = failed("expire_run");
        let ExpireRun { run_id, deadline_at, reason, successor } = expiry;
        let now = self.time();
        let mut script = Script::new();
        script.sql(EXPIRE).bind(now.as_micros()).bind(reason.clone());
        script.bind(run_id.as_uuid()).bind(run_id.as_uuid()).bind(deadline_at.as_micros());
        script.sql(FORGET).bind(run_id.as_uuid()).bind(deadline_at.as_micros());
        let mut turn = self.turn().await;
        let mut rows = turn.begin(script).await.map_err(failed)?;
        let Some((has_kin,)) = rows.read::<(bool,)>(1).map_err(failed)?.pop() else {
            turn.roll_back().await;
            return Ok(false);
        };
        let mut script = Script::new();
        script.sql(GIVE_UP).bind(run_id.as_uuid());
        match &successor {
            Some(successor) => {
                kin::add_successor(&mut script, run_id, successor, has_kin, now)?;
                messages::add_emptied(&mut script, &[run_id]);
                if has_kin {
                    kin::add_closes_of_followed(&mut script, &[run_id], now)?;
                }
            }
            None => {
                kin::add_closes_of_kin(&mut script, &[run_id], now)?;
                script.sql("; ");
                messages::add_leftovers(&mut script, &[run_id]);
            }
        }
        script.sql("COMMIT");
        let mut rows = turn.commit(script).await.map_err(failed)?;
        give_up::announce(self, &mut rows, 0).map_err(failed)?;
        match successor {
            Some(_) => {
                self.hub.announce_due();
                if has_kin {
                    self.hub.announce_sent(run_id);
                }
            }
            None => kin::announce(self, &mut rows, 1).map_err(failed)?,
        }
        let (status, failure) = (RunStatus::TimedOut, Some(reason));
        self.hub.announce_end(run_id, || Ending { status, result: None, failure });
        Ok(true)
    }
}
