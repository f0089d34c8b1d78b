//! Worker processes: this program, run again with `--serve`.

use std::process::Stdio;

use anyhow::{Context as _, Result, ensure};
use piton::prelude::{Client, Worker};
use tokio::io::{AsyncBufReadExt as _, AsyncReadExt as _, BufReader};
use tokio::process::{Child, ChildStdin, Command};

/// What a worker process says when it serves.
const READY: &str = "ready";

/// A worker in a separate process.
#[derive(Debug)]
pub(crate) struct WorkerProcess {
    child: Child,
    /// The process serves for as long as this is open. Not left to `child`, whose `wait` closes it.
    stdin: ChildStdin,
}

impl WorkerProcess {
    /// Starts a worker on this database and waits until it serves. With `abort_at`, the process
    /// dies in the activity `mark` when that runs for the given time.
    pub(crate) async fn start(url: &str, abort_at: Option<usize>) -> Result<Self> {
        let mut command = Command::new(std::env::current_exe()?);
        command.args(["--serve", url]).stdin(Stdio::piped()).stdout(Stdio::piped());
        if let Some(abort_at) = abort_at {
            command.arg("--abort-at").arg(abort_at.to_string());
        }
        let mut child = command.kill_on_drop(true).spawn()?;
        let stdin = child.stdin.take().context("the worker process has no input")?;
        let stdout = child.stdout.take().context("the worker process has no output")?;
        let mut line = String::new();
        BufReader::new(stdout).read_line(&mut line).await?;
        ensure!(line.trim_end() == READY, "the worker process did not start");
        Ok(Self { child, stdin })
    }

    /// The memory that the process has in use, in bytes.
    pub(crate) fn resident_bytes(&self) -> Result<u64> {
        let pid = self.child.id().context("the worker process has ended")?;
        let status = std::fs::read_to_string(format!("/proc/{pid}/status"))?;
        let line = status.lines().find_map(|line| line.strip_prefix("VmRSS:"));
        let kilobytes = line.and_then(|line| line.split_whitespace().next());
        Ok(kilobytes.context("/proc has no VmRSS")?.parse::<u64>()? * 1024)
    }

    /// Waits until the process has died by itself.
    pub(crate) async fn wait_for_death(mut self) -> Result<()> {
        let status = self.child.wait().await?;
        ensure!(!status.success(), "the worker process has ended in order");
        Ok(())
    }

    /// Shuts the worker down.
    pub(crate) async fn stop(mut self) -> Result<()> {
        drop(self.stdin);
        let status = self.child.wait().await?;
        ensure!(status.success(), "a worker process ended with {status}");
        Ok(())
    }
}

/// The worker process: serves until its input ends.
pub(crate) async fn serve(url: &str, abort_at: Option<usize>) -> Result<()> {
    crate::workflows::abort_at(abort_at);
    let client = Client::connect(url).await?;
    let worker = Worker::new(&client).max_activities(10_000).start().await?;
    println!("{READY}");
    tokio::io::stdin().read_to_end(&mut Vec::new()).await?;
    worker.shutdown().await.map_err(anyhow::Error::msg)?;
    client.close().await;
    Ok(())
}
