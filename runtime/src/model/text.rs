//! Shortening text, so that a long message never prevents the recording of a failure.

/// The most bytes of a failure or a reason that are kept: more than anybody reads, and little beside what a
/// run may hold.
const LONGEST: usize = 1 << 20;

/// The text as it is recorded: one that is too long ends early, with a note of how long it was.
pub(crate) fn recorded(mut text: String) -> String {
    if text.len() > LONGEST {
        let note = format!("… (cut: the whole text has {} bytes)", text.len());
        text.truncate(text.floor_char_boundary(LONGEST - note.len()));
        text.push_str(&note);
    }
    text
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_text_that_is_too_long_is_cut_between_characters_and_says_so() {
        let whole = "ü".repeat(LONGEST / 2);
        assert_eq!(recorded(whole.clone()), whole);
        let cut = recorded(whole.clone() + "!");
        let (head, note) = cut.split_once('…').expect("there is a note");
        assert!(whole.starts_with(head) && cut.len() <= LONGEST && cut.len() > LONGEST - 4);
        assert_eq!(note, format!(" (cut: the whole text has {} bytes)", LONGEST + 1));
    }
}
