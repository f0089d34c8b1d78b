//! The resources of each test: a database, a folder, a client and its workers.

use std::path::PathBuf;
use std::sync::Arc;
use std::time::{Duration, Instant};

use libtest_mimic::Failed;
use piton::prelude::*;
use piton_postgres_cluster::Cluster;
use sqlx::{Connection as _, PgConnection};
use tempfile::TempDir;

use crate::audit::Audit;
use crate::member::Member;

/// Long enough for anything to happen on a busy machine.
pub(crate) const PATIENCE: Duration = Duration::from_secs(60);

/// How often a condition is checked.
const LOOK_INTERVAL: Duration = Duration::from_millis(10);

/// The delay of the next attempt after an interruption, by the number of earlier interruptions: none the first time,
/// then 1 s, doubled each time.
pub(crate) fn pause_after(cut_off_before: usize) -> Duration {
    match cut_off_before {
        0 => Duration::ZERO,
        before => Duration::from_secs(1 << (before - 1)),
    }
}

/// See the [module documentation](self).
pub(crate) struct Scene {
    cluster: Arc<Cluster>,
    pub(crate) url: String,
    pub(crate) folder: TempDir,
    pub(crate) client: Client,
    pub(crate) audit: Audit,
}

impl Scene {
    pub(crate) async fn new(cluster: Arc<Cluster>) -> Result<Self, Failed> {
        let url = cluster.new_database().await?;
        let client = Client::connect(&url).await?;
        let audit = Audit::install(PgConnection::connect(&url).await?).await?;
        Ok(Self { cluster, url, folder: tempfile::tempdir()?, client, audit })
    }

    /// The same on a server that no other test uses.
    pub(crate) async fn on_a_server_of_its_own() -> Self {
        let cluster =
            Cluster::start_with(crate::SETTINGS, &[]).expect("the other has been started");
        Self::new(Arc::new(cluster)).await.expect("it has just been started")
    }

    /// The socket of the server.
    pub(crate) fn socket(&self) -> PathBuf {
        self.cluster.socket()
    }

    /// Starts a synchronous standby of this server.
    pub(crate) async fn start_follower(&self) -> Cluster {
        self.cluster.start_follower().await.expect("the server is there")
    }

    /// The server crashes for good, and the one that followed it takes its place.
    pub(crate) async fn fail_over(&mut self, follower: Cluster) {
        self.cluster.stop();
        follower.promote();
        let url = self.url.replace(
            &self.cluster.directory().display().to_string(),
            &follower.directory().display().to_string(),
        );
        self.cluster = Arc::new(follower);
        self.url = url;
        let connection = PgConnection::connect(&self.url).await.expect("it has been promoted");
        self.audit = Audit::of(connection);
    }

    /// Ends the server as a crash would.
    pub(crate) fn stop_server(&self) {
        self.cluster.stop();
    }

    /// Starts the server again, and reconnects the audit.
    pub(crate) async fn start_server(&mut self) {
        self.cluster.start_again();
        let connection = PgConnection::connect(&self.url).await.expect("the server is back");
        self.audit = Audit::of(connection);
    }

    /// The statements that workers have sent to this database since it was made, in order.
    pub(crate) fn statements(&self) -> Vec<String> {
        let log = std::fs::read_to_string(self.cluster.directory().join("log"));
        let prefix = format!("{} LOG:  ", self.database());
        let log = log.expect("the server keeps a log");
        let lines = log.lines().filter_map(|line| line.strip_prefix(&prefix));
        let is_statement =
            |line: &&str| line.starts_with("execute") || line.starts_with("statement");
        lines.filter(is_statement).map(str::to_owned).collect()
    }

    /// Makes the server log the statements of new connections to this database.
    pub(crate) async fn log_statements(&mut self) {
        let sql = format!("ALTER DATABASE {} SET log_statement = 'all'", self.database());
        self.audit.execute(&sql).await;
    }

    /// Another database, with nothing in it.
    pub(crate) async fn new_database(&self) -> String {
        self.cluster.new_database().await.expect("it can be made")
    }

    fn database(&self) -> &str {
        let path = self.url.trim_start_matches("postgres:///");
        path.split('?').next().unwrap_or(path)
    }

    /// Starts a worker process that connects with its own role.
    pub(crate) async fn worker(&mut self, name: &str, lease: Duration) -> Member {
        self.worker_at(name, &self.url.clone(), lease, &[]).await
    }

    /// Starts a worker process that connects to `url`, with these variables in its environment.
    pub(crate) async fn worker_at(
        &mut self,
        name: &str,
        url: &str,
        lease: Duration,
        environment: &[(&str, &str)],
    ) -> Member {
        self.audit.admit(name).await;
        let url = url.replace("user=piton", &format!("user={name}"));
        Member::start(&url, self.folder.path(), lease, environment).await
    }
}

/// Waits until a condition holds.
pub(crate) async fn wait_until(what: &str, mut holds: impl AsyncFnMut() -> bool) {
    let started = Instant::now();
    while !holds().await {
        assert!(started.elapsed() < PATIENCE, "waited in vain until {what}");
        tokio::time::sleep(LOOK_INTERVAL).await;
    }
}
