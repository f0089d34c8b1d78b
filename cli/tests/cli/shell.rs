//! A database, the programs that write to it, and the command line that reads it.

use std::process::{Command, Output};

use libtest_mimic::Failed;
use piton::client::Client;
use piton::machine::Workflow;
use piton::model::RunId;
use piton::prelude::*;
use piton::store::RunRecord;

pub(crate) struct Shell {
    pub(crate) url: String,
    runtime: tokio::runtime::Runtime,
    pub(crate) client: Client,
}

impl Shell {
    pub(crate) fn new(url: String) -> Result<Self, Failed> {
        let runtime = tokio::runtime::Runtime::new()?;
        let client = runtime.block_on(Client::connect(&url))?;
        Ok(Self { url, runtime, client })
    }

    pub(crate) fn block_on<T>(
        &self,
        what: impl Future<Output = Result<T, Failed>>,
    ) -> Result<T, Failed> {
        self.runtime.block_on(what)
    }

    /// Starts a run, has a worker carry it out until it is as wanted, and stops the worker.
    pub(crate) fn run_until<W: Workflow>(
        &self,
        call: piton::machine::WorkflowCall<W>,
        id: &str,
        mut is_wanted: impl AsyncFnMut(&Client, &RunRecord) -> Result<bool, Failed>,
    ) -> Result<RunRecord, Failed> {
        self.block_on(async {
            let client = &self.client;
            let worker = Worker::new(client).queue("ramp").start().await?;
            let run = client.start(call).id(id).await?;
            let found = self.until(run.run_id(), &mut is_wanted).await?;
            worker.shutdown().await?;
            Ok(found)
        })
    }

    /// Has a worker carry out a run until it is as wanted, and stops the worker.
    pub(crate) fn go_on_until(
        &self,
        run_id: RunId,
        mut is_wanted: impl AsyncFnMut(&Client, &RunRecord) -> Result<bool, Failed>,
    ) -> Result<RunRecord, Failed> {
        self.block_on(async {
            let worker = Worker::new(&self.client).start().await?;
            let found = self.until(run_id, &mut is_wanted).await?;
            worker.shutdown().await?;
            Ok(found)
        })
    }

    async fn until(
        &self,
        run_id: RunId,
        is_wanted: &mut impl AsyncFnMut(&Client, &RunRecord) -> Result<bool, Failed>,
    ) -> Result<RunRecord, Failed> {
        loop {
            let found = self.client.find(run_id).await?.ok_or("it is there")?;
            if is_wanted(&self.client, &found).await? {
                return Ok(found);
            }
            tokio::task::yield_now().await;
        }
    }

    /// What the command writes to stdout.
    pub(crate) fn prints(&self, arguments: &[&str]) -> Result<String, Failed> {
        let output = self.piton(arguments)?;
        let errors = String::from_utf8_lossy(&output.stderr);
        assert_eq!((output.status.code(), &*errors), (Some(0), ""), "{arguments:?}");
        Ok(String::from_utf8(output.stdout)?)
    }

    /// What it writes to stderr beside its answer.
    pub(crate) fn hints(&self, arguments: &[&str]) -> Result<String, Failed> {
        let output = self.piton(arguments)?;
        assert_eq!(output.status.code(), Some(0), "{arguments:?}");
        Ok(String::from_utf8(output.stderr)?)
    }

    /// The exit code, and what it writes to stderr.
    pub(crate) fn fails(&self, arguments: &[&str]) -> Result<(Option<i32>, String), Failed> {
        let output = self.piton(arguments)?;
        assert_eq!(String::from_utf8_lossy(&output.stdout), "", "{arguments:?}");
        Ok((output.status.code(), String::from_utf8(output.stderr)?))
    }

    /// The exit code, and what it writes to stdout.
    pub(crate) fn finds(&self, arguments: &[&str]) -> Result<(Option<i32>, String), Failed> {
        let output = self.piton(arguments)?;
        assert_eq!(String::from_utf8_lossy(&output.stderr), "", "{arguments:?}");
        Ok((output.status.code(), String::from_utf8(output.stdout)?))
    }

    fn piton(&self, arguments: &[&str]) -> Result<Output, Failed> {
        Ok(self.command(arguments).output()?)
    }

    pub(crate) fn command(&self, arguments: &[&str]) -> Command {
        let mut command = Command::new(env!("CARGO_BIN_EXE_piton"));
        // Where the paths of the source files begin.
        command.current_dir(concat!(env!("CARGO_MANIFEST_DIR"), "/.."));
        command.env("PITON_DATABASE", &self.url).args(arguments);
        command
    }
}

/// The text with a name for each run, and without times and hashes.
pub(crate) fn redacted(text: &str, runs: &[(&RunRecord, &str)]) -> String {
    let mut text = text.to_owned();
    for (run, name) in runs {
        let run_id = run.run_id.to_string();
        text = text.replace(&run_id, name).replace(&run_id.replace('-', ""), name);
    }
    let mut redacted = String::new();
    let mut rest = &text[..];
    while !rest.is_empty() {
        let is_in_word = |c: char| c.is_ascii_alphanumeric() || "-:.".contains(c);
        let length = match rest.find(|c| !is_in_word(c)) {
            Some(0) => rest.chars().next().map_or(0, char::len_utf8),
            length => length.unwrap_or(rest.len()),
        };
        let (word, after) = rest.split_at(length);
        let is_time = word.len() >= 20 && word.starts_with("20") && word.ends_with('Z');
        let is_hash = word.len() == 16 && word.chars().all(|c| c.is_ascii_hexdigit());
        rest = after;
        match (is_time, is_hash) {
            (true, _) => {
                redacted.push_str("[time]");
                // How long ago that is.
                if let Some(end) = rest.starts_with(" (").then(|| rest.find(')')).flatten() {
                    rest = &rest[end + 1..];
                }
            }
            (_, true) => redacted.push_str("[hash]"),
            _ => redacted.push_str(word),
        }
    }
    let lines = redacted.lines().map(|line| line.trim_end().to_owned() + "\n");
    lines.collect()
}
