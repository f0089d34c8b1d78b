//! The arguments of the command line.

use std::path::Path;

use clap::{Parser, Subcommand};
use piton::client::Client;
use piton::store::{StoreOptions, namespaces};

use crate::check::Check;
use crate::dead_letter::DeadLetterCommand;
use crate::definition::DefinitionCommand;
use crate::error::Failure;
use crate::namespace::NamespaceCommand;
use crate::output::Output;
use crate::promise::PromiseCommand;
use crate::queue::QueueCommand;
use crate::run::RunCommand;
use crate::schedule::ScheduleCommand;

/// Inspects the durable workflow runs of a piton database, and changes them by hand.
///
/// Exit codes: 0 for success, 1 if the subject of the command does not exist or a check has found something, 2 for
/// an invalid command line, 3 if the database fails.
#[derive(Parser)]
#[command(name = "piton", version, max_term_width = 100)]
pub(crate) struct Args {
    #[command(flatten)]
    pub(crate) database: Database,
    #[command(flatten)]
    pub(crate) output: Output,
    #[command(subcommand)]
    pub(crate) command: Command,
}

#[derive(clap::Args)]
pub(crate) struct Database {
    /// The database: `sqlite:path` or `postgres://user:password@host/database`
    #[arg(
        long = "database",
        env = "PITON_DATABASE",
        hide_env_values = true,
        global = true,
        value_name = "URL",
        default_value = "",
        hide_default_value = true
    )]
    url: String,
    /// The namespace of the database
    #[arg(long, env = "PITON_NAMESPACE", global = true, value_name = "NAME")]
    namespace: Option<String>,
}

#[derive(Subcommand)]
#[expect(clippy::large_enum_variant, reason = "there is one in a program")]
pub(crate) enum Command {
    #[command(flatten)]
    OfStore(StoreCommand),
    /// Namespaces of the database
    #[command(subcommand)]
    Namespace(NamespaceCommand),
}

/// A command on one store.
#[derive(Subcommand)]
#[expect(clippy::large_enum_variant, reason = "there is one in a program")]
pub(crate) enum StoreCommand {
    /// Runs of workflows
    #[command(subcommand)]
    Run(RunCommand),
    /// Promises that runs await
    #[command(subcommand)]
    Promise(PromiseCommand),
    /// Queues of activities
    #[command(subcommand)]
    Queue(QueueCommand),
    /// Messages that reached no run, and signals that their run could not take
    #[command(subcommand)]
    DeadLetter(DeadLetterCommand),
    /// Recorded definitions of workflows
    #[command(subcommand)]
    Definition(DefinitionCommand),
    Check(Check),
    /// Schedules, and their due times
    #[command(subcommand)]
    Schedule(ScheduleCommand),
}

impl Database {
    pub(crate) async fn connect(&self) -> Result<Client, Failure> {
        if self.url.is_empty() {
            return Err(Failure::NoDatabase);
        }
        let mut options = StoreOptions::default();
        if let Some(name) = &self.namespace {
            // A program that opens a namespace makes it, but there is nothing to look at in an empty one.
            if !self.namespaces().await?.contains(name) {
                return Err(Failure::NoNamespace(name.clone()));
            }
            options = options.namespace(name);
        } else if let Some(path) = file_of(&self.url)
            && !Path::new(path).exists()
        {
            return Err(Failure::NoFile(path.to_owned()));
        }
        Ok(Client::new(options.connect(&self.url).await?))
    }

    pub(crate) async fn namespaces(&self) -> Result<Vec<String>, Failure> {
        match &*self.url {
            "" => Err(Failure::NoDatabase),
            url => Ok(namespaces(url).await?),
        }
    }
}

fn file_of(url: &str) -> Option<&str> {
    let path = url.strip_prefix("sqlite:")?;
    let path = path.strip_prefix("//").unwrap_or(path);
    (!path.is_empty() && path != ":memory:").then_some(path)
}
