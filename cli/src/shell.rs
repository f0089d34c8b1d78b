//! Words of commands that hints show.

use std::borrow::Cow;

/// The word as a POSIX shell reads it back: as it is if no character of it has a meaning there, else in apostrophes.
pub(crate) fn quoted(word: &str) -> Cow<'_, str> {
    let is_plain = |c: char| c.is_ascii_alphanumeric() || "_-./:@%+,".contains(c);
    match !word.is_empty() && word.chars().all(is_plain) {
        true => Cow::Borrowed(word),
        // An apostrophe ends the quotation, stands behind a backslash, and begins another one.
        false => Cow::Owned(format!("'{}'", word.replace('\'', r"'\''"))),
    }
}

#[cfg(test)]
mod tests {
    use std::process::Command;

    use super::*;

    #[test]
    fn a_shell_reads_the_word_back() {
        let words = [
            "order-42",
            "",
            "it's",
            "'",
            r#"{"by":"O'Brien","why":"$HOME `ls` \\ !x"}"#,
            "a b",
            "ü",
            "*",
            "~",
            "a\nb",
            "=ls",
        ];
        for word in words {
            let echo = format!("printf %s {}", quoted(word));
            let output = Command::new("sh").args(["-c", &echo]).output().expect("there is a shell");
            assert_eq!(String::from_utf8_lossy(&output.stdout), word, "{echo}");
        }
        assert_eq!(quoted("order-42"), "order-42");
    }
}
