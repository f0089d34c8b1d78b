//! A game whose every move is another process: a workflow without engine, database or async runtime.
//!
//! You think of a number and the program guesses it. The rules are a workflow that asks; the program around it shows
//! the question, saves the machine to a file and ends. With your answer it is started again, loads the file and
//! continues where it was, in the middle of a loop. The rules are [`guess_number`], and they [`ask`].
//!
//! ```text
//! $ cargo run -p piton-examples --bin game -- number.save
//! Is it 50?
//! $ cargo run -p piton-examples --bin game -- number.save lower
//! Is it 25?
//! ```

use std::path::Path;

use clap::ValueEnum;
use piton::codec;
use piton::machine::{Progress, Standalone};
use piton::model::{Operation, Timestamp};
use piton::prelude::*;
use serde::{Deserialize, Serialize};

/// What the player says to a guess.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize, ValueEnum)]
pub enum Answer {
    /// The number is higher than the guess.
    Higher,
    /// The number is lower than the guess.
    Lower,
    /// The guess is right.
    Yes,
}

/// Asks whether the number is `guess`. The program around the machine does so; this is never run.
#[activity]
pub async fn ask(guess: u32) -> Answer {
    unreachable!("nobody runs the question whether it is {guess}")
}

/// The rules. Returns how many guesses it took.
#[workflow]
pub async fn guess_number(highest: u32) -> Result<u32, String> {
    let mut possible = (1, highest);
    for guesses in 1.. {
        let (low, high) = possible;
        if low > high {
            return Err("you must have made a mistake".to_owned());
        }
        let guess = low.midpoint(high);
        match ask(guess).await {
            Answer::Higher => possible.0 = guess + 1,
            Answer::Lower => possible.1 = guess - 1,
            Answer::Yes => return Ok(guesses),
        }
    }
    unreachable!("a range of numbers is empty some day")
}

/// Makes a move, with an answer to the last question if there is one. Returns the text to show.
///
/// # Errors
/// The file cannot be read or written, or holds no such game.
pub fn play(file: &Path, answer: Option<Answer>) -> piton::Result<String> {
    let mut game = if file.exists() {
        Standalone::load(&std::fs::read(file)?)?
    } else {
        Standalone::start(guess_number(100))?
    };
    // A game that was saved waits for its one question.
    if let (Some(answer), Some((question, _))) = (answer, game.waiting_for().first()) {
        game.reply(*question, &answer)?;
    }
    let text = match game.advance(Timestamp::now())? {
        Progress::Returned(Ok(guesses)) => format!("Guessed, with {guesses} guesses."),
        Progress::Returned(Err(complaint)) => format!("I give up: {complaint}."),
        Progress::Waiting => {
            std::fs::write(file, game.save()?)?;
            return question(&game.waiting_for()[0].1);
        }
    };
    // It is over, and the next one starts anew.
    if file.exists() {
        std::fs::remove_file(file)?;
    }
    Ok(text)
}

/// The text of the operation that the machine waits for.
fn question(operation: &Operation) -> piton::Result<String> {
    let Operation::Activity(activity) = operation else {
        bail!("the game only asks questions");
    };
    let (guess,): (u32,) = codec::from_payload(&activity.arguments)?;
    Ok(format!("Is it {guess}?"))
}
