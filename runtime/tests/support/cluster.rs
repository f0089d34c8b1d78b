//! A private Postgres server for the tests of one process, from the binaries of the machine.
//!
//! The server lives in a directory of its own and listens on a socket there. A shell starts it and
//! waits for the end of its input, which comes when the [`Cluster`] is dropped and when this
//! process ends in whatever way; then it stops the server and removes the directory.

use std::io::{BufRead as _, BufReader};
use std::os::unix::fs::{PermissionsExt as _, chown};
use std::path::{Path, PathBuf};
use std::process::{Child, Command, Stdio};
use std::sync::atomic::{AtomicUsize, Ordering};
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};

use libtest_mimic::{Failed, Trial};
use sqlx::{Connection as _, PgConnection};

/// Where to look for `initdb` and `pg_ctl` first.
const BIN_DIRECTORY: &str = "PITON_POSTGRES_BIN";

/// Runs in the directory with the server's binaries on the path. Errors of writing are ignored so
/// that nothing is left behind when nobody listens any more.
const SCRIPT: &str = r#"
trap '' INT TERM HUP PIPE
cd "$1" || exit 1
{
    initdb -D data -U piton -A trust -E UTF8 --locale=C -N &&
    pg_ctl -D data -l log -w start -o "-k '$1' -c listen_addresses='' -c fsync=off \
        -c max_connections=400 -c shared_buffers=64MB"
} > setup 2>&1 && echo ready || { cat setup log >&2; echo failed; }
read -r _
pg_ctl -D data -m immediate stop > /dev/null 2>&1
cd / && rm -rf "$1"
"#;

/// A running server.
#[derive(Debug)]
pub(crate) struct Cluster {
    directory: PathBuf,
    shell: Child,
    databases: AtomicUsize,
    /// Databases that nobody uses at the moment.
    free: Mutex<Vec<String>>,
}

/// A database that one test has to itself.
#[derive(Debug)]
pub(crate) struct Database<'a> {
    cluster: &'a Cluster,
    url: String,
}

impl Database<'_> {
    pub(crate) fn url(&self) -> &str {
        &self.url
    }
}

impl Drop for Database<'_> {
    fn drop(&mut self) {
        self.cluster.free().push(std::mem::take(&mut self.url));
    }
}

impl Cluster {
    /// Starts a server, or says what is missing.
    ///
    /// # Panics
    /// If there are binaries and they do not work.
    pub(crate) fn start() -> Result<Self, String> {
        let binaries = find_binaries().ok_or("there are no Postgres binaries")?;
        let directory = tempfile::Builder::new().prefix("piton-postgres-").tempdir();
        // The shell removes it.
        let directory = directory.expect("a temporary directory").keep();
        let mut command = command_of_some_user(&directory)?;
        let path = std::env::var("PATH").unwrap_or_default();
        let mut shell = command
            .args(["sh", "-c", SCRIPT, "sh"])
            .arg(&directory)
            .env("PATH", format!("{}:{path}", binaries.display()))
            .stdin(Stdio::piped())
            .stdout(Stdio::piped())
            .spawn()
            .expect("a shell can be started");
        let mut line = String::new();
        let output = shell.stdout.as_mut().expect("it is piped");
        BufReader::new(output).read_line(&mut line).expect("the shell says something");
        assert_eq!(line.trim(), "ready", "the server did not start");
        Ok(Self { directory, shell, databases: AtomicUsize::new(0), free: Mutex::default() })
    }

    /// Gives a database: one that is free again, cleaned by the statements of `reset`, or a copy of
    /// the template. The first connection to a new one costs ten times as much as the cleaning.
    pub(crate) async fn database(&self, reset: &'static str) -> Result<Database<'_>, sqlx::Error> {
        let free = self.free().pop();
        let (database, url, sql) = match free {
            Some(url) => (url.clone(), url, reset.to_owned()),
            None => {
                let name = format!("test_{}", self.databases.fetch_add(1, Ordering::Relaxed));
                let create = format!("CREATE DATABASE {name}");
                (self.url("postgres"), self.url(&name), create)
            }
        };
        let mut connection = PgConnection::connect(&database).await?;
        sqlx::raw_sql(sqlx::AssertSqlSafe(sql)).execute(&mut connection).await?;
        connection.close().await?;
        Ok(Database { cluster: self, url })
    }

    fn free(&self) -> MutexGuard<'_, Vec<String>> {
        // The list is whole after every operation, so a test that panics does not spoil it.
        self.free.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// The URL of a database. New ones are copies of `template1`, to which nobody may be connected
    /// at that moment.
    pub(crate) fn url(&self, database: &str) -> String {
        format!("postgres:///{database}?user=piton&host={}", self.directory.display())
    }
}

impl Drop for Cluster {
    fn drop(&mut self) {
        drop(self.shell.stdin.take());
        // The worst that can happen is a directory left behind.
        let _ = self.shell.wait();
    }
}

/// A test on the server: ignored if there is none, failed if there has to be one.
pub(crate) fn trial(
    name: String,
    cluster: &Result<Arc<Cluster>, String>,
    test: impl FnOnce(Arc<Cluster>) -> Result<(), Failed> + Send + 'static,
) -> Trial {
    let required = std::env::var("PITON_REQUIRE_POSTGRES").is_ok_and(|value| value == "1");
    match cluster {
        Ok(cluster) => {
            let cluster = Arc::clone(cluster);
            Trial::test(name, move || test(cluster))
        }
        Err(reason) => {
            let reason = reason.clone();
            Trial::test(name, move || Err(reason.into())).with_ignored_flag(!required)
        }
    }
}

fn find_binaries() -> Option<PathBuf> {
    let has_binaries = |directory: &Path| directory.join("initdb").exists();
    let given = std::env::var_os(BIN_DIRECTORY).map(PathBuf::from);
    let on_path = std::env::var_os("PATH")?;
    let debian = std::fs::read_dir("/usr/lib/postgresql").into_iter().flatten().flatten();
    let mut debian: Vec<PathBuf> = debian.map(|entry| entry.path().join("bin")).collect();
    debian.sort();
    let places = given.into_iter().chain(std::env::split_paths(&on_path));
    places.chain(debian.into_iter().rev()).find(|directory| has_binaries(directory))
}

/// The server refuses to run as root, so root lends its tests to the user of the installation.
fn command_of_some_user(directory: &Path) -> Result<Command, String> {
    let id = |arguments: &[&str]| {
        let output = Command::new("id").args(arguments).output().ok()?;
        String::from_utf8(output.stdout).ok()?.trim().parse::<u32>().ok()
    };
    if id(&["-u"]) != Some(0) {
        return Ok(Command::new("env"));
    }
    let user = ["postgres", "nobody"].into_iter().find_map(|user| id(&["-u", user]));
    let user = user.ok_or("Postgres does not run as root, and there is no other user")?;
    chown(directory, Some(user), None).map_err(|error| error.to_string())?;
    let readable = std::fs::Permissions::from_mode(0o755);
    std::fs::set_permissions(directory, readable).map_err(|error| error.to_string())?;
    let mut command = Command::new("setpriv");
    command.arg(format!("--reuid={user}")).args(["--clear-groups", "--"]);
    Ok(command)
}
