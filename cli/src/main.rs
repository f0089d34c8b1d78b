//! `piton`: inspects the runs in a database, and changes them by hand.
//!
//! It accesses runs only through [`piton::client::Client`], so it needs no workflow's code. Data goes to stdout,
//! everything else to stderr.

// A failure is printed once, and ends the program.
#![allow(clippy::result_large_err)]

mod args;
mod check;
mod dead_letter;
mod definition;
mod error;
mod graph;
mod namespace;
mod output;
mod promise;
mod queue;
mod run;
mod schedule;
mod shell;
mod terms;

use std::io::{ErrorKind, Write as _};
use std::process::ExitCode;

use clap::Parser as _;

use crate::args::{Args, Command, StoreCommand};
use crate::error::Failure;

#[tokio::main]
async fn main() -> ExitCode {
    let done = match carry_out(Args::parse()).await {
        Ok((answer, is_well)) => std::io::stdout()
            .write_all(answer.as_bytes())
            .map(|()| is_well)
            .map_err(Failure::Output),
        Err(failure) => Err(failure),
    };
    match done {
        Ok(true) => ExitCode::SUCCESS,
        Ok(false) => ExitCode::from(error::FOUND),
        // Whoever has closed the pipe has seen enough.
        Err(Failure::Output(error)) if error.kind() == ErrorKind::BrokenPipe => ExitCode::SUCCESS,
        Err(failure) => failure.report(),
    }
}

/// Runs the command. Returns the text for stdout, and whether a check has found nothing.
async fn carry_out(args: Args) -> Result<(String, bool), Failure> {
    let output = args.output;
    let command = match args.command {
        Command::Namespace(command) => {
            return namespace::carry_out(&args.database, command, output).await.map(well);
        }
        Command::OfStore(command) => command,
    };
    if let StoreCommand::Schedule(command) = &command
        && let Some(done) = schedule::carry_out_alone(command, output)
    {
        return done.map(|()| well(String::new()));
    }
    let client = args.database.connect().await?;
    let done = match command {
        StoreCommand::Run(command) => run::carry_out(&client, command, output).await.map(well),
        StoreCommand::Promise(command) => {
            promise::carry_out(&client, command, output).await.map(well)
        }
        StoreCommand::Queue(command) => queue::carry_out(&client, command, output).await.map(well),
        StoreCommand::DeadLetter(command) => dead_letter::carry_out(&client, command, output).await,
        StoreCommand::Definition(command) => {
            definition::carry_out(&client, command, output).await.map(well)
        }
        StoreCommand::Check(command) => check::carry_out(&client, command, output).await,
        StoreCommand::Schedule(command) => {
            schedule::carry_out(&client, command, output).await.map(well)
        }
    };
    client.close().await;
    done
}

fn well(answer: String) -> (String, bool) {
    (answer, true)
}
