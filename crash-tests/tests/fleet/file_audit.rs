//! An audit of a SQLite file by triggers, like [`Audit`](crate::audit::Audit) for Postgres. A file does not know the
//! writing process, so a step is attributed to the worker that owned the run.

use sqlx::{AssertSqlSafe, Connection as _, SqliteConnection};

/// Triggers that record each step in its transaction.
const INSTALL: &str = "
CREATE TABLE audit_steps (
    run_id BLOB NOT NULL, step_no INTEGER NOT NULL, worker_id INTEGER, was_valid INTEGER NOT NULL);
CREATE TRIGGER audit AFTER UPDATE OF step_no ON piton_runs WHEN NEW.step_no IS NOT OLD.step_no
BEGIN
    INSERT INTO audit_steps (run_id, step_no, worker_id, was_valid)
    VALUES (NEW.run_id, NEW.step_no, OLD.worker_id, EXISTS (
        SELECT 1 FROM piton_workers AS worker WHERE worker.worker_id = OLD.worker_id
        AND worker.epoch = OLD.epoch AND fenced_at IS NULL));
END;
";

/// A connection that reads the audit.
pub(crate) struct FileAudit(SqliteConnection);

impl FileAudit {
    /// Installs the audit in an existing database without steps.
    pub(crate) async fn install(url: &str) -> Self {
        let mut connection = SqliteConnection::connect(url).await.expect("the file is there");
        sqlx::raw_sql(INSTALL).execute(&mut connection).await.expect("it is the first one");
        Self(connection)
    }

    /// Checks that every step was committed once, under a valid lease. The runs have ended.
    pub(crate) async fn check_steps(&mut self, runs: u64) {
        let twice = "FROM (SELECT 1 FROM audit_steps GROUP BY run_id, step_no HAVING count(*) > 1)";
        assert_eq!(self.count(twice).await, 0, "steps were committed twice");
        let gaps = "FROM (SELECT 1 FROM piton_runs LEFT JOIN audit_steps USING (run_id) \
            GROUP BY run_id, piton_runs.step_no \
            HAVING count(audit_steps.step_no) <> piton_runs.step_no \
            OR max(audit_steps.step_no) IS NOT nullif(piton_runs.step_no, 0))";
        assert_eq!(self.count(gaps).await, 0, "runs whose steps do not add up");
        let invalid = "FROM audit_steps WHERE NOT was_valid";
        assert_eq!(
            self.count(invalid).await,
            0,
            "steps of runs whose owner was fenced, or of nobody's"
        );
        let audited = "FROM (SELECT DISTINCT run_id FROM audit_steps)";
        assert_eq!(self.count(audited).await, runs.cast_signed(), "runs that made a step");
    }

    async fn count(&mut self, from: &str) -> i64 {
        let sql = AssertSqlSafe(format!("SELECT count(*) {from}"));
        sqlx::query_scalar(sql).fetch_one(&mut self.0).await.expect("the query is right")
    }
}
