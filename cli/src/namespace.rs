//! `piton namespace`: the namespaces of a database.

use clap::Subcommand;

use crate::args::Database;
use crate::error::Failure;
use crate::output::Output;

#[derive(Subcommand)]
pub(crate) enum NamespaceCommand {
    /// List the namespaces of the database
    List,
}

pub(crate) async fn carry_out(
    database: &Database,
    command: NamespaceCommand,
    output: Output,
) -> Result<String, Failure> {
    match command {
        NamespaceCommand::List => {
            let namespaces = database.namespaces().await?;
            let text = || namespaces.iter().map(|name| format!("{name}\n")).collect();
            Ok(output.say(&namespaces, text))
        }
    }
}
