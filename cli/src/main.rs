//! `piton`: looks at the runs in a database, and changes them by hand.
//!
//! It knows runs by [`piton::client::Client`] alone, so it needs the code of no workflow. Data goes to stdout and
//! everything else to stderr.

mod args;
mod definition;
mod error;
mod graph;
mod output;
mod run;
mod schedule;

use std::io::{ErrorKind, Write as _};
use std::process::ExitCode;

use clap::Parser as _;

use crate::args::{Args, Command};
use crate::error::Failure;

#[tokio::main]
async fn main() -> ExitCode {
    let written = match carry_out(Args::parse()).await {
        Ok(report) => std::io::stdout().write_all(report.as_bytes()),
        // Whoever has closed the pipe has seen enough.
        Err(Failure::Output(error)) if error.kind() == ErrorKind::BrokenPipe => {
            return ExitCode::SUCCESS;
        }
        Err(failure) => return failure.report(),
    };
    match written {
        Err(error) if error.kind() != ErrorKind::BrokenPipe => Failure::Output(error).report(),
        // Whoever has closed the pipe has seen enough.
        _ => ExitCode::SUCCESS,
    }
}

/// Does what is asked for. Gives what is to be written to stdout.
async fn carry_out(args: Args) -> Result<String, Failure> {
    if let Command::Schedule(command) = &args.command {
        schedule::carry_out(command, args.output)?;
        return Ok(String::new());
    }
    let client = args.database.connect().await?;
    let done = match args.command {
        Command::Run(command) => run::carry_out(&client, command, args.output).await,
        Command::Definition(command) => definition::carry_out(&client, command, args.output).await,
        Command::Schedule(_) => Ok(String::new()),
    };
    client.close().await;
    done
}
