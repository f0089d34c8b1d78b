//! Guesses a number between 1 and 100, one process for every guess. See `piton_examples::game`.

use std::path::PathBuf;

use clap::Parser;
use piton_examples::game::{Answer, play};

/// Guess the number that you think of.
#[derive(Debug, Parser)]
struct Options {
    /// Where the game is kept between guesses.
    file: PathBuf,
    /// What you say to the last guess.
    answer: Option<Answer>,
}

fn main() -> piton::Result<()> {
    let Options { file, answer } = Options::parse();
    println!("{}", play(&file, answer)?);
    Ok(())
}
