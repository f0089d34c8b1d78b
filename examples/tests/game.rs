//! The game from its file, one move after the other.

#![allow(clippy::unwrap_used)]

use piton_examples::game::{Answer, play};

#[test]
fn a_game_goes_on_from_its_file() {
    let folder = tempfile::tempdir().unwrap();
    let file = folder.path().join("number.save");
    let says = |answer| play(&file, answer).unwrap();
    assert_eq!(says(None), "Is it 50?");
    assert_eq!(says(None), "Is it 50?", "asked again without an answer");
    assert_eq!(says(Some(Answer::Lower)), "Is it 25?");
    assert_eq!(says(Some(Answer::Higher)), "Is it 37?");
    assert!(std::fs::metadata(&file).unwrap().len() < 500);
    assert_eq!(says(Some(Answer::Yes)), "Guessed, with 3 guesses.");
    assert!(!file.exists());
    assert_eq!(says(None), "Is it 50?");
}

#[test]
fn a_file_that_is_no_game_is_refused() {
    let folder = tempfile::tempdir().unwrap();
    let file = folder.path().join("number.save");
    std::fs::write(&file, "not a game").unwrap();
    assert!(play(&file, None).is_err());
}
