//! A Postgres of our own: made in a temporary directory, reached through a socket there, removed at
//! the end. All settings are the defaults of `initdb`; nothing is tuned.

use std::io::ErrorKind;
use std::os::unix::fs::chown;
use std::os::unix::process::CommandExt as _;
use std::path::{Path, PathBuf};
use std::process::{Child, Command, Stdio};
use std::time::{Duration, Instant};

use anyhow::{Context as _, Result, bail, ensure};
use sqlx::{ConnectOptions as _, Connection as _, postgres::PgConnectOptions};
use tempfile::TempDir;

/// Where Debian keeps its server binaries, one directory per version.
const DEBIAN_VERSIONS: &str = "/usr/lib/postgresql";

/// How long the server may take to start.
const START_TIMEOUT: Duration = Duration::from_secs(30);

/// The user that the server runs as where we are root, which the server refuses to be.
const SERVER_USER: &str = "postgres";

/// What the speed of commits hangs on.
const SETTINGS: &str = "SELECT name, current_setting(name) FROM unnest(ARRAY['server_version', \
    'fsync', 'synchronous_commit', 'full_page_writes', 'wal_level', 'wal_sync_method', \
    'shared_buffers', 'max_wal_size', 'autovacuum']) AS name";

/// A running server.
#[derive(Debug)]
pub(crate) struct Cluster {
    binaries: PathBuf,
    account: Option<Account>,
    directory: TempDir,
    server: Child,
    databases: u32,
}

/// A line of `/etc/passwd`.
#[derive(Clone, Copy, Debug)]
struct Account {
    uid: u32,
    gid: u32,
}

impl Cluster {
    /// Makes and starts a cluster in a new directory below `parent`.
    pub(crate) async fn start(parent: &Path) -> Result<Self> {
        let binaries = find_binaries()?;
        let account = server_account()?;
        let directory = tempfile::Builder::new().prefix("piton-bench-pg-").tempdir_in(parent)?;
        if let Some(Account { uid, gid }) = account {
            chown(directory.path(), Some(uid), Some(gid))?;
        }
        let data = directory.path().join("data");
        let made = command(&binaries, "initdb", account)
            .args(["--auth=trust", "--username=piton", "--encoding=UTF8", "--no-locale"])
            .arg("--pgdata")
            .arg(&data)
            .output()
            .context("cannot run initdb")?;
        ensure!(made.status.success(), "initdb: {}", String::from_utf8_lossy(&made.stderr));
        let log = std::fs::File::create(directory.path().join("log"))?;
        let server = command(&binaries, "postgres", account)
            .arg("-D")
            .arg(&data)
            .arg("-k")
            .arg(directory.path())
            .args(["-c", "listen_addresses="])
            .stdout(Stdio::null())
            .stderr(log)
            .spawn()
            .context("cannot run postgres")?;
        let mut cluster = Self { binaries, account, directory, server, databases: 0 };
        cluster.wait_until_ready().await?;
        Ok(cluster)
    }

    /// Makes an empty database and returns its URL.
    pub(crate) async fn create_database(&mut self) -> Result<String> {
        self.databases += 1;
        let name = format!("bench_{}", self.databases);
        let mut connection = self.options("postgres").connect().await?;
        sqlx::query(sqlx::AssertSqlSafe(format!("CREATE DATABASE {name}")))
            .execute(&mut connection)
            .await?;
        // What the last workload left to be written is not to slow down the next one.
        sqlx::query("CHECKPOINT").execute(&mut connection).await?;
        connection.close().await?;
        Ok(format!("postgres://piton@localhost/{name}?host={}", self.directory.path().display()))
    }

    /// The settings that the figures depend on.
    pub(crate) async fn settings(&self) -> Result<Vec<(String, String)>> {
        let mut connection = self.options("postgres").connect().await?;
        let settings = sqlx::query_as(SETTINGS).fetch_all(&mut connection).await?;
        connection.close().await?;
        Ok(settings)
    }

    fn options(&self, database: &str) -> PgConnectOptions {
        PgConnectOptions::new_without_pgpass()
            .socket(self.directory.path())
            .username("piton")
            .database(database)
    }

    async fn wait_until_ready(&mut self) -> Result<()> {
        let started = Instant::now();
        loop {
            match self.options("postgres").connect().await {
                Ok(connection) => return Ok(connection.close().await?),
                Err(error) if started.elapsed() > START_TIMEOUT => {
                    return Err(error).context("the server does not answer");
                }
                Err(_) => {}
            }
            if let Some(status) = self.server.try_wait()? {
                let log = std::fs::read_to_string(self.directory.path().join("log"))?;
                bail!("the server ended with {status}: {log}");
            }
            tokio::time::sleep(Duration::from_millis(50)).await;
        }
    }
}

impl Drop for Cluster {
    fn drop(&mut self) {
        let stopped = command(&self.binaries, "pg_ctl", self.account)
            .args(["stop", "--silent", "--mode=immediate", "--pgdata"])
            .arg(self.directory.path().join("data"))
            .status();
        if !stopped.is_ok_and(|status| status.success()) {
            // It has ended by itself, or is not to be had otherwise.
            let _ = self.server.kill();
        }
        let _ = self.server.wait();
    }
}

fn command(binaries: &Path, name: &str, account: Option<Account>) -> Command {
    let mut command = Command::new(binaries.join(name));
    // The server may not see the current directory.
    command.current_dir("/").stdin(Stdio::null());
    if let Some(Account { uid, gid }) = account {
        command.uid(uid).gid(gid);
    }
    command
}

/// The newest of Debian's versions, or what is on the path.
fn find_binaries() -> Result<PathBuf> {
    let versions = match std::fs::read_dir(DEBIAN_VERSIONS) {
        Ok(entries) => entries.collect::<Result<Vec<_>, _>>()?,
        Err(error) if error.kind() == ErrorKind::NotFound => Vec::new(),
        Err(error) => return Err(error).context(DEBIAN_VERSIONS),
    };
    let newest = versions
        .into_iter()
        .filter_map(|entry| Some((entry.file_name().to_str()?.parse::<u32>().ok()?, entry.path())))
        .map(|(version, path)| (version, path.join("bin")))
        .filter(|(_, path)| path.join("initdb").exists())
        .max();
    if let Some((_, path)) = newest {
        return Ok(path);
    }
    std::env::var_os("PATH")
        .iter()
        .flat_map(std::env::split_paths)
        .find(|path| path.join("initdb").exists() && path.join("postgres").exists())
        .context("no Postgres server binaries were found")
}

/// Whom the server runs as: ourselves, unless we are root.
fn server_account() -> Result<Option<Account>> {
    use std::os::unix::fs::MetadataExt as _;
    if std::fs::metadata("/proc/self")?.uid() != 0 {
        return Ok(None);
    }
    let accounts = std::fs::read_to_string("/etc/passwd")?;
    let account = accounts.lines().find_map(|line| {
        let mut fields = line.split(':');
        let name = fields.next()?;
        let (uid, gid) = (fields.nth(1)?.parse().ok()?, fields.next()?.parse().ok()?);
        (name == SERVER_USER).then_some(Account { uid, gid })
    });
    account.map(Some).with_context(|| {
        format!("the server does not run as root, and there is no user `{SERVER_USER}`")
    })
}
