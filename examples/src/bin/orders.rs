//! Processes a file of orders. `--help` shows the options; the job itself is in [`piton_examples::orders`].

use std::error::Error;
use std::io::IsTerminal as _;
use std::process::ExitCode;

use clap::Parser as _;
use piton_examples::orders::error::JobError;
use piton_examples::orders::job::{self, Ending};
use piton_examples::orders::options::Options;
use tracing_subscriber::EnvFilter;

#[tokio::main]
async fn main() -> ExitCode {
    let options = Options::parse();
    tracing_subscriber::fmt()
        .with_env_filter(EnvFilter::try_from_default_env().unwrap_or_else(|_| "error".into()))
        .with_writer(std::io::stderr)
        .with_ansi(std::io::stderr().is_terminal())
        .init();
    let ending =
        if options.verify { job::verify(&options).await } else { job::run(&options).await };
    match ending {
        Ok(Ending::Good) => ExitCode::SUCCESS,
        Ok(Ending::Bad) => ExitCode::FAILURE,
        Ok(Ending::Interrupted) => {
            eprintln!("stopped; the same command continues where this one was");
            // What shells report for a program ended by Ctrl-C.
            ExitCode::from(130)
        }
        Err(error) => {
            complain(&error);
            ExitCode::FAILURE
        }
    }
}

/// Prints an error with its causes and what to do about it.
fn complain(error: &JobError) {
    let mut text = error.to_string();
    let mut cause = error.source();
    while let Some(error) = cause {
        let reason = error.to_string();
        // Some errors print their cause as well.
        if !text.ends_with(&reason) {
            text = format!("{text}: {reason}");
        }
        cause = error.source();
    }
    eprintln!("error: {text}\n\nhint: {}", error.hint());
}
