//! A private Postgres server for the tests or measurements of one process, from the binaries of the
//! machine or those in the directory that `PITON_POSTGRES_BIN` names.
//!
//! The server has its own directory and listens on a socket there. A shell starts the server and waits for the end of
//! its input, which comes when the [`Cluster`] is dropped or this process ends in any way; then it stops the server and
//! removes the directory.

use std::io::{BufRead as _, BufReader};
use std::os::unix::fs::{MetadataExt as _, PermissionsExt as _, chown};
use std::path::{Path, PathBuf};
use std::process::{Child, Command, Stdio};
use std::sync::atomic::{AtomicUsize, Ordering};
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};

use libtest_mimic::{Arguments, Failed, Trial};
use sqlx::{Connection as _, PgConnection};

/// Where to look for `initdb` and `pg_ctl` first.
const BIN_DIRECTORY: &str = "PITON_POSTGRES_BIN";

/// Runs in the directory with the server's binaries on the path. The second argument is the directory of the server to
/// follow, if there is one. Errors of writing are ignored, so that the clean-up also runs after the reader has gone.
const SCRIPT: &str = r#"
trap '' INT TERM HUP PIPE
cd "$1" || exit 1
{
    if [ -n "$2" ]; then
        pg_basebackup -h "$2" -U piton -D data -R -X stream -c fast -N
    else
        initdb -D data -U piton -A trust -E UTF8 --locale=C -N
    fi &&
    cat settings >> data/postgresql.conf &&
    pg_ctl -D data -l log -w start
} > setup 2>&1 && echo ready || { cat setup log >&2; echo failed; }
read -r _
pg_ctl -D data -m immediate stop > /dev/null 2>&1
cd / && rm -rf "$1" 2> /dev/null
"#;

/// The settings of every server.
const SETTINGS: &str = "listen_addresses = ''\n";

/// The settings of servers for tests. Their data need not survive the machine, so nothing is flushed.
const TEST_SETTINGS: &str = "fsync = off\nmax_connections = 400\nshared_buffers = 64MB\n";

/// The default number of concurrent tests: more than the cores of a small machine, because tests mostly wait for the
/// server and for leases.
const THREADS: usize = 6;

/// A running server.
#[derive(Debug)]
pub struct Cluster {
    directory: PathBuf,
    binaries: PathBuf,
    shell: Child,
    databases: AtomicUsize,
    /// The databases that are free.
    free: Mutex<Vec<String>>,
}

/// A database that one test has to itself.
#[derive(Debug)]
pub struct Database<'a> {
    cluster: &'a Cluster,
    url: String,
}

impl Database<'_> {
    /// Its URL.
    pub fn url(&self) -> &str {
        &self.url
    }
}

impl Drop for Database<'_> {
    fn drop(&mut self) {
        self.cluster.free().push(std::mem::take(&mut self.url));
    }
}

impl Cluster {
    /// Starts a server, or returns what is missing.
    ///
    /// # Panics
    /// If there are binaries and they do not work.
    pub fn start() -> Result<Self, String> {
        Self::start_with("", &[])
    }

    /// Starts a server with some more lines of `postgresql.conf` and with files in the directory
    /// above its data, which only it may read; or says what is missing.
    ///
    /// # Panics
    /// If there are binaries and they do not work.
    pub fn start_with(settings: &str, files: &[(&str, String)]) -> Result<Self, String> {
        let settings = [TEST_SETTINGS, settings].concat();
        Self::start_in(&std::env::temp_dir(), &settings, files, None)
    }

    /// Starts a synchronous standby of this server: from now on a commit is acknowledged when the standby has it as
    /// well. Needs `pg_basebackup`.
    ///
    /// # Errors
    /// The server does not do as it is told.
    ///
    /// # Panics
    /// If the other does not start.
    pub async fn start_follower(&self) -> Result<Self, sqlx::Error> {
        let parent = std::env::temp_dir();
        let follower = Self::start_in(&parent, TEST_SETTINGS, &[], Some(self.directory()));
        let follower = follower.expect("this one has been started");
        let mut connection = PgConnection::connect(&self.url("postgres")).await?;
        for sql in ["ALTER SYSTEM SET synchronous_standby_names = '*'", "SELECT pg_reload_conf()"] {
            sqlx::raw_sql(sql).execute(&mut connection).await?;
        }
        let states = "SELECT count(*) FROM pg_stat_replication WHERE sync_state = 'sync'";
        while sqlx::query_scalar::<_, i64>(states).fetch_one(&mut connection).await? == 0 {
            std::thread::sleep(std::time::Duration::from_millis(10));
        }
        connection.close().await?;
        Ok(follower)
    }

    /// Promotes a standby.
    pub fn promote(&self) {
        self.run("pg_ctl", &["-D", "data", "-w", "promote"]);
    }

    /// Starts a server that keeps what it commits, in a directory below `parent`, with the settings
    /// that `initdb` gives it; or says what is missing.
    ///
    /// # Panics
    /// If there are binaries and they do not work.
    pub fn start_durable(parent: &Path) -> Result<Self, String> {
        Self::start_in(parent, "", &[], None)
    }

    fn start_in(
        parent: &Path,
        settings: &str,
        files: &[(&str, String)],
        followed: Option<&Path>,
    ) -> Result<Self, String> {
        let binaries = find_binaries()?;
        let directory = tempfile::Builder::new().prefix("piton-postgres-").tempdir_in(parent);
        // The shell removes it.
        let directory = directory.expect("a directory that can be written").keep();
        let socket = format!("unix_socket_directories = '{}'\n", directory.display());
        std::fs::write(directory.join("settings"), [SETTINGS, &socket, settings].concat())
            .expect("the directory can be written");
        for (name, content) in files {
            std::fs::write(directory.join(name), content).expect("the directory can be written");
        }
        let mut command = command_of_some_user(&directory)?;
        let owner = std::fs::metadata(&directory).map_err(|error| error.to_string())?.uid();
        for (name, _) in files {
            let file = directory.join(name);
            let private = std::fs::Permissions::from_mode(0o600);
            std::fs::set_permissions(&file, private).expect("it has just been written");
            chown(&file, Some(owner), None).expect("the directory is the owner's");
        }
        let mut shell = command
            .args(["sh", "-c", SCRIPT, "sh"])
            .arg(&directory)
            .arg(followed.unwrap_or(Path::new("")))
            .env("PATH", path_with(&binaries))
            .stdin(Stdio::piped())
            .stdout(Stdio::piped())
            .spawn()
            .expect("a shell can be started");
        let mut line = String::new();
        let output = shell.stdout.as_mut().expect("it is piped");
        BufReader::new(output).read_line(&mut line).expect("the shell says something");
        assert_eq!(line.trim(), "ready", "the server did not start");
        let (databases, free) = (AtomicUsize::new(0), Mutex::default());
        Ok(Self { directory, binaries, shell, databases, free })
    }

    /// Runs one of Postgres' programs as the server's user, in the server's directory, and returns
    /// what it has printed.
    ///
    /// # Panics
    /// If the program fails.
    pub fn run(&self, program: &str, arguments: &[&str]) -> String {
        let output = command_of_some_user(&self.directory)
            .expect("the server has been started by that user")
            .arg(program)
            .args(arguments)
            .env("PATH", path_with(&self.binaries))
            .env("PGHOST", &self.directory)
            .env("PGUSER", "piton")
            .current_dir(&self.directory)
            .stdin(Stdio::null())
            .output()
            .expect("the program can be started");
        let errors = String::from_utf8_lossy(&output.stderr);
        assert!(output.status.success(), "{program} {arguments:?}: {errors}");
        String::from_utf8_lossy(&output.stdout).into_owned()
    }

    /// Whether this program of Postgres' is here in the server's own version. One of another may refuse
    /// the server.
    pub fn has(&self, program: &str) -> bool {
        let version = |program: &str| {
            let mut command = Command::new("env");
            command.args([program, "--version"]).env("PATH", path_with(&self.binaries));
            let output = command.output().ok().filter(|output| output.status.success())?;
            let text = String::from_utf8(output.stdout).ok()?;
            // `pg_dump (PostgreSQL) 15.18 (Debian 15.18-0+deb12u1)`
            text.split_whitespace().nth(2).map(str::to_owned)
        };
        version("postgres").is_some_and(|server| version(program).is_some_and(|it| it == server))
    }

    /// Stops the server immediately, like a crash.
    pub fn stop(&self) {
        self.run("pg_ctl", &["-D", "data", "-m", "immediate", "-w", "stop"]);
    }

    /// Starts it again.
    pub fn start_again(&self) {
        self.run("pg_ctl", &["-D", "data", "-l", "log", "-w", "start"]);
    }

    /// The id of the server's first process, the parent of all others.
    ///
    /// # Panics
    /// If the server does not run.
    pub fn pid(&self) -> u32 {
        let file = std::fs::read_to_string(self.directory.join("data/postmaster.pid"));
        let file = file.expect("the server writes the file when it starts");
        let line = file.lines().next().expect("the id is in the first line");
        line.trim().parse().expect("the id is a number")
    }

    /// The socket that the server listens on.
    pub fn socket(&self) -> PathBuf {
        self.directory.join(".s.PGSQL.5432")
    }

    /// The directory of the server's files and socket.
    pub fn directory(&self) -> &Path {
        &self.directory
    }

    /// Gives a database: one that is free again, cleaned by the statements of `reset`, or a copy of
    /// the template. The first connection to a new one costs ten times as much as the cleaning.
    ///
    /// # Errors
    /// The server does not do as it is told.
    pub async fn database(&self, reset: &'static str) -> Result<Database<'_>, sqlx::Error> {
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

    /// Makes an empty database that is never given to anybody else, and returns its URL.
    ///
    /// # Errors
    /// The server does not do as it is told.
    pub async fn new_database(&self) -> Result<String, sqlx::Error> {
        let name = format!("test_{}", self.databases.fetch_add(1, Ordering::Relaxed));
        let create = format!("CREATE DATABASE {name}");
        let mut connection = PgConnection::connect(&self.url("postgres")).await?;
        sqlx::raw_sql(sqlx::AssertSqlSafe(create)).execute(&mut connection).await?;
        connection.close().await?;
        Ok(self.url(&name))
    }

    fn free(&self) -> MutexGuard<'_, Vec<String>> {
        // The list is consistent after every operation, so a poisoned lock is harmless.
        self.free.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// The URL of a database. New ones are copies of `template1`, to which nobody may be connected
    /// at that moment.
    pub fn url(&self, database: &str) -> String {
        format!("postgres:///{database}?user=piton&host={}", self.directory.display())
    }
}

impl Drop for Cluster {
    fn drop(&mut self) {
        drop(self.shell.stdin.take());
        // The worst that can happen is a directory left behind.
        let _ = self.shell.wait();
        // The server's user may empty the directory, not always remove it.
        let _ = std::fs::remove_dir_all(&self.directory);
    }
}

/// The server that the tests of a program share, or the reason why there is none.
pub type Shared = Result<Arc<Cluster>, String>;

/// Runs the tests of a program, which share a server with some more lines of `postgresql.conf`, and ends
/// the process. Where tests are only listed, no server is started.
///
/// # Panics
/// If there are binaries and they do not work.
pub fn run_tests(
    arguments: &Arguments,
    settings: &str,
    trials: impl FnOnce(&Shared) -> Vec<Trial>,
) -> ! {
    // Dropped at the end of the block, also if a test fails.
    let conclusion = {
        let cluster = match arguments.list {
            true => Err("tests are only listed".into()),
            false => Cluster::start_with(settings, &[]).map(Arc::new),
        };
        let mut arguments = arguments.clone();
        arguments.test_threads.get_or_insert(THREADS);
        libtest_mimic::run(&arguments, trials(&cluster))
    };
    conclusion.exit()
}

/// A test on the server: ignored if there is none, failed if there has to be one.
pub fn trial(
    name: String,
    cluster: &Shared,
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

fn path_with(binaries: &Path) -> std::ffi::OsString {
    let path = std::env::var_os("PATH").unwrap_or_default();
    let paths = std::iter::once(binaries.to_owned()).chain(std::env::split_paths(&path));
    std::env::join_paths(paths).expect("no path holds a colon")
}

fn find_binaries() -> Result<PathBuf, String> {
    let has_binaries = |directory: &Path| directory.join("initdb").exists();
    if let Some(given) = std::env::var_os(BIN_DIRECTORY).map(PathBuf::from) {
        let missing = || format!("{BIN_DIRECTORY}: there is no initdb in {}", given.display());
        return has_binaries(&given).then(|| given.clone()).ok_or_else(missing);
    }
    let on_path = std::env::var_os("PATH").unwrap_or_default();
    let debian = std::fs::read_dir("/usr/lib/postgresql").into_iter().flatten().flatten();
    let mut debian: Vec<PathBuf> = debian.map(|entry| entry.path().join("bin")).collect();
    debian.sort();
    let mut places = std::env::split_paths(&on_path).chain(debian.into_iter().rev());
    places.find(|place| has_binaries(place)).ok_or("there are no Postgres binaries".into())
}

/// The server refuses to run as root, so root runs it as the user of the installation.
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
