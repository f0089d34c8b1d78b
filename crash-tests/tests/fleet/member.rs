//! A worker process.

use std::os::unix::process::ExitStatusExt as _;
use std::path::Path;
use std::process::{ExitStatus, Stdio};
use std::time::Duration;

use rustix::process::{Pid, Signal, WaitId, WaitIdOptions, kill_process, waitid};
use tokio::io::{AsyncBufReadExt as _, BufReader};
use tokio::process::{Child, Command};

const PROGRAM: &str = env!("CARGO_BIN_EXE_piton-fleet-worker");

/// See the [module documentation](self). It dies when dropped.
pub(crate) struct Member {
    child: Child,
    /// Whether a fail point of its environment can kill it at any time.
    may_die: bool,
}

impl Member {
    /// Starts the process and waits until it serves, or has died at a fail point of its environment.
    pub(crate) async fn start(
        url: &str,
        folder: &Path,
        lease: Duration,
        environment: &[(&str, &str)],
    ) -> Self {
        Self::start_by(Command::new(PROGRAM), url, folder, lease, environment).await
    }

    /// Starts a process that cannot write files beyond this size.
    pub(crate) async fn start_without_space(
        url: &str,
        folder: &Path,
        lease: Duration,
        bytes: u64,
    ) -> Self {
        let mut shell = Command::new("sh");
        // Otherwise SIGXFSZ would kill it.
        shell.args(["-c", r#"trap '' XFSZ; exec prlimit "$@""#, "sh"]);
        shell.arg(format!("--fsize={bytes}:unlimited")).arg(PROGRAM);
        Self::start_by(shell, url, folder, lease, &[]).await
    }

    /// Removes the limit.
    pub(crate) async fn give_space(&self) {
        let pid = self.child.id().expect("it has not been waited for").to_string();
        let lifted =
            Command::new("prlimit").args(["--fsize=unlimited", "--pid", &pid]).status().await;
        assert!(lifted.expect("it can be started").success());
    }

    async fn start_by(
        mut command: Command,
        url: &str,
        folder: &Path,
        lease: Duration,
        environment: &[(&str, &str)],
    ) -> Self {
        let mut child = command
            .arg(url)
            .arg(folder)
            .arg(lease.as_millis().to_string())
            .envs(environment.iter().copied())
            .stdin(Stdio::piped())
            .stdout(Stdio::piped())
            .kill_on_drop(true)
            .spawn()
            .expect("the program starts");
        let output = child.stdout.take().expect("it is piped");
        let line = BufReader::new(output).lines().next_line().await.expect("readable");
        let may_die = environment.iter().any(|(name, _)| *name == "PITON_FAILPOINT");
        let is_ready = line.as_deref() == Some("ready");
        assert!(is_ready || may_die && line.is_none(), "the worker did not start");
        Self { child, may_die }
    }

    /// Its process id.
    pub(crate) fn id(&self) -> u32 {
        self.child.id().expect("it has not been waited for")
    }

    /// Kills it with SIGKILL. Returns its process id.
    pub(crate) async fn kill(mut self) -> u32 {
        let id = self.id();
        self.child.kill().await.expect("it was there to be killed");
        id
    }

    /// Whether it has died at a fail point.
    pub(crate) fn has_died(&mut self) -> bool {
        let status = self.child.try_wait().expect("it is a child");
        status.is_some_and(|status| {
            assert!(is_killed(status), "a worker ended with {status}");
            true
        })
    }

    /// Kills it with SIGKILL, unless it has died that way by itself. Returns whether it had.
    pub(crate) async fn end(mut self) -> bool {
        let Some(status) = self.child.try_wait().expect("it is a child") else {
            self.child.kill().await.expect("it was there to be killed");
            return false;
        };
        assert!(is_killed(status), "a worker ended with {status}");
        true
    }

    /// Stops it with SIGSTOP: its connections stay open, its threads do not run.
    pub(crate) fn pause(&self) {
        self.signal(Signal::STOP);
    }

    /// Whether it is stopped.
    pub(crate) fn is_paused(&self) -> bool {
        // Leaves the exit status for the caller that waits for the process.
        let options = WaitIdOptions::STOPPED | WaitIdOptions::NOWAIT | WaitIdOptions::NOHANG;
        waitid(WaitId::Pid(self.pid()), options).expect("it is a child").is_some()
    }

    /// Lets it continue.
    pub(crate) fn resume(&self) {
        self.signal(Signal::CONT);
    }

    /// Lets it shut down in order, unless it dies at its fail point before.
    pub(crate) async fn leave(mut self) {
        let status = self.child.wait().await.expect("it ran");
        let has_died = self.may_die && is_killed(status);
        assert!(status.success() || has_died, "a worker ended with {status}");
    }

    /// Lets it shut down, which may fail if it has lost its lease on a busy machine.
    pub(crate) async fn leave_with_or_without_lease(mut self) {
        let status = self.child.wait().await.expect("it ran");
        assert!(status.code().is_some(), "a worker ended with {status}");
    }

    fn signal(&self, signal: Signal) {
        kill_process(self.pid(), signal).expect("it lives");
    }

    fn pid(&self) -> Pid {
        Pid::from_raw(self.id().cast_signed()).expect("no process has the number 0")
    }
}

fn is_killed(status: ExitStatus) -> bool {
    status.signal() == Some(Signal::KILL.as_raw())
}
