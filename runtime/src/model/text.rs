//! Shortening text, so that a long message never prevents the recording of a failure.

/// The maximum size of a stored failure or reason: more than anybody reads, and little compared with the limit for
/// a run.
const LONGEST: usize = 1 << 20;

/// The text as it is stored: a longer one is cut off, with a note of its length.
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
