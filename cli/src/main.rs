//! `piton`: looks at the runs in a database, and changes them by hand.
//!
//! It knows runs by [`piton::client::Client`] alone, so it needs the code of no workflow. Data goes to stdout and
//! everything else to stderr.

mod args;
mod check;
mod definition;
mod error;
mod graph;
mod output;
mod run;

use std::io::{ErrorKind, Write as _};
use std::process::ExitCode;

use clap::Parser as _;

use crate::args::{Args, Command};
use crate::error::Failure;

#[tokio::main]
async fn main() -> ExitCode {
    let (answer, is_well) = match carry_out(Args::parse()).await {
        Ok(answer) => answer,
        Err(failure) => return failure.report(),
    };
    match std::io::stdout().write_all(answer.as_bytes()) {
        Err(error) if error.kind() != ErrorKind::BrokenPipe => Failure::Output(error).report(),
        // Whoever has closed the pipe has seen enough.
        _ if is_well => ExitCode::SUCCESS,
        _ => ExitCode::from(error::FOUND),
    }
}

/// Does what is asked for. Gives what is to be written to stdout, and whether a check has found nothing.
async fn carry_out(args: Args) -> Result<(String, bool), Failure> {
    let client = args.database.connect().await?;
    let output = args.output;
    let done = match args.command {
        Command::Run(command) => run::carry_out(&client, command, output).await.map(well),
        Command::Definition(command) => {
            definition::carry_out(&client, command, output).await.map(well)
        }
        Command::Check(command) => check::carry_out(&client, command, output).await,
    };
    client.close().await;
    done
}

fn well(answer: String) -> (String, bool) {
    (answer, true)
}
