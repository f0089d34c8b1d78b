//! An audit by triggers of the database: every step and every claim, with the role of the writing process, and every
//! fenced worker.

use std::time::Duration;

use sqlx::{AssertSqlSafe, PgConnection};

use crate::scene::wait_until;

/// Triggers that record each step and each change of owner in its transaction.
const INSTALL: &str = "
CREATE TABLE audit_steps (
    seq BIGINT GENERATED ALWAYS AS IDENTITY, run_id UUID, step_no BIGINT,
    worker_id BIGINT, was_valid BOOLEAN, who TEXT, at TIMESTAMPTZ DEFAULT clock_timestamp());
CREATE TABLE audit_claims (
    run_id UUID, worker_id BIGINT, who TEXT, at TIMESTAMPTZ DEFAULT clock_timestamp());
CREATE TABLE audit_fencings (pid BIGINT);
CREATE FUNCTION audit() RETURNS TRIGGER LANGUAGE plpgsql AS $$
BEGIN
    IF NEW.step_no IS DISTINCT FROM OLD.step_no THEN
        INSERT INTO audit_steps (run_id, step_no, worker_id, was_valid, who)
        VALUES (NEW.run_id, NEW.step_no, OLD.worker_id, EXISTS (
            SELECT FROM piton_workers AS worker WHERE worker.worker_id = OLD.worker_id
            AND worker.epoch = OLD.epoch AND fenced_at IS NULL), session_user);
    END IF;
    IF NEW.worker_id IS DISTINCT FROM OLD.worker_id AND NEW.worker_id IS NOT NULL THEN
        INSERT INTO audit_claims (run_id, worker_id, who)
        VALUES (NEW.run_id, NEW.worker_id, session_user);
    END IF;
    RETURN NULL;
END $$;
CREATE FUNCTION audit_fencing() RETURNS TRIGGER LANGUAGE plpgsql AS $$
BEGIN
    INSERT INTO audit_fencings VALUES (NEW.pid);
    RETURN NULL;
END $$;
CREATE TRIGGER audit_fencing AFTER UPDATE ON piton_workers FOR EACH ROW
WHEN (OLD.fenced_at IS NULL AND NEW.fenced_at IS NOT NULL) EXECUTE FUNCTION audit_fencing();
CREATE TRIGGER audit AFTER UPDATE ON piton_runs FOR EACH ROW EXECUTE FUNCTION audit();
";

/// A connection that reads the audit.
pub(crate) struct Audit(PgConnection);

impl Audit {
    pub(crate) async fn install(mut connection: PgConnection) -> Result<Self, sqlx::Error> {
        sqlx::raw_sql(INSTALL).execute(&mut connection).await?;
        Ok(Self(connection))
    }

    /// Asks on another connection.
    pub(crate) fn of(connection: PgConnection) -> Self {
        Self(connection)
    }

    /// Lets workers connect under this name. Roles are shared by all databases of the server.
    pub(crate) async fn admit(&mut self, name: &str) {
        let sql = format!(
            "DO $$ BEGIN CREATE ROLE {name} SUPERUSER LOGIN; \
             EXCEPTION WHEN duplicate_object OR unique_violation THEN NULL; END $$"
        );
        self.execute(&sql).await;
    }

    pub(crate) async fn execute(&mut self, sql: &str) {
        let sql = AssertSqlSafe(sql.to_owned());
        sqlx::raw_sql(sql).execute(&mut self.0).await.expect("the statements are right");
    }

    /// A number.
    pub(crate) async fn count(&mut self, sql: &str) -> i64 {
        let sql = AssertSqlSafe(sql.to_owned());
        sqlx::query_scalar(sql).fetch_one(&mut self.0).await.expect("the query is right")
    }

    /// The processes of workers that were fenced, each as often as it was.
    pub(crate) async fn fenced(&mut self) -> Vec<u32> {
        let sql = "SELECT pid FROM audit_fencings";
        let ids: Vec<i64> =
            sqlx::query_scalar(sql).fetch_all(&mut self.0).await.expect("the query is right");
        ids.into_iter().map(|id| u32::try_from(id).expect("a process id")).collect()
    }

    /// The database's clock, in microseconds.
    pub(crate) async fn now(&mut self) -> i64 {
        self.count("SELECT (extract(epoch FROM clock_timestamp()) * 1000000)::bigint").await
    }

    /// The runs that processes of this name own.
    pub(crate) async fn owned_by(&mut self, name: &str) -> i64 {
        let latest = "SELECT DISTINCT ON (run_id) run_id, who FROM audit_claims \
            ORDER BY run_id, at DESC";
        self.count(&format!(
            "SELECT count(*) FROM ({latest}) AS latest JOIN piton_runs USING (run_id) \
             WHERE who = '{name}' AND piton_runs.worker_id IS NOT NULL"
        ))
        .await
    }

    /// How long after `since` the last run was claimed by `name`.
    pub(crate) async fn last_claim(&mut self, name: &str, since: i64) -> Duration {
        let sql = "SELECT (extract(epoch FROM max(at)) * 1000000)::bigint FROM audit_claims \
            WHERE who = ";
        let last = self.count(&format!("{sql}'{name}'")).await;
        Duration::from_micros(last.saturating_sub(since).cast_unsigned())
    }

    /// The number of committed steps.
    pub(crate) async fn steps(&mut self) -> i64 {
        self.count("SELECT count(*) FROM audit_steps").await
    }

    /// Waits until this many steps are committed.
    pub(crate) async fn until_steps(&mut self, goal: i64) {
        wait_until("the work has got on", async || self.steps().await >= goal).await;
    }

    /// Checks that every step was committed once, by the owner of the run.
    pub(crate) async fn check_steps(&mut self) {
        let twice = "SELECT count(*) FROM (SELECT FROM audit_steps GROUP BY run_id, step_no \
            HAVING count(*) > 1) AS twice";
        assert_eq!(self.count(twice).await, 0, "steps were committed twice");
        let gaps = "SELECT count(*) FROM (SELECT run_id FROM piton_runs \
            LEFT JOIN audit_steps USING (run_id) GROUP BY run_id, piton_runs.step_no \
            HAVING count(audit_steps.step_no) <> piton_runs.step_no \
            OR max(audit_steps.step_no) IS DISTINCT FROM nullif(piton_runs.step_no, 0)) AS gaps";
        assert_eq!(self.count(gaps).await, 0, "runs whose steps do not add up");
        let strange = "SELECT count(*) FROM audit_steps AS step WHERE EXISTS (SELECT FROM \
            audit_claims AS claim WHERE claim.worker_id = step.worker_id AND claim.who <> step.who)";
        assert_eq!(self.count(strange).await, 0, "steps by a process that did not own the run");
        let invalid = "SELECT count(*) FROM audit_steps WHERE NOT was_valid";
        assert_eq!(self.count(invalid).await, 0, "steps by a worker that was fenced");
    }
}
