//! How a word of a program is left out or replaced.

use super::Mistake;

/// The text with one word of it left out or replaced.
pub(super) fn edited_texts(text: &str) -> Vec<(Mistake, String)> {
    const LEFT_OUT: [(Mistake, &str); 4] = [
        (Mistake::Question, "?"),
        (Mistake::Mutability, "mut "),
        (Mistake::Clone, ".clone()"),
        (Mistake::Borrow, "&"),
    ];
    let mut edited = Vec::new();
    let mut is_in_string = false;
    for (at, c) in text.char_indices() {
        is_in_string ^= c == '"';
        if is_in_string {
            continue;
        }
        let (before, rest) = text.split_at(at);
        for (mistake, word) in LEFT_OUT {
            let Some(after) = rest.strip_prefix(word) else { continue };
            let is_operator =
                word == "&" && (before.ends_with([' ', '&']) || after.starts_with('&'));
            if !is_operator {
                edited.push((mistake, format!("{before}{after}")));
            }
        }
        let is_first = !before.ends_with(|c: char| c.is_alphanumeric() || "_'".contains(c));
        let length = rest.find(|c: char| !c.is_alphanumeric() && c != '_').unwrap_or(rest.len());
        let (word, after) = rest.split_at(length);
        if !is_first || word.is_empty() {
            continue;
        }
        let is_declared = before.ends_with("let ") || before.ends_with("mut ");
        if !is_declared && is_variable(word) {
            edited.push((Mistake::Name, format!("{before}missing{after}")));
            edited.push((Mistake::Deref, format!("{before}(*{word}){after}")));
        }
        if word == "_" && after.starts_with(" =>") {
            edited.push((Mistake::Arms, format!("{before}_ if false{after}")));
        }
        let is_called = after.starts_with('(');
        let is_member = before.ends_with('.') && !before.ends_with("..");
        let is_type = word.starts_with(char::is_uppercase);
        if is_member && !is_called && word != "await" && !word.starts_with(|c: char| c.is_numeric())
        {
            edited.push((Mistake::Field, format!("{before}missing{after}")));
        }
        if is_called && is_type {
            edited.push((Mistake::Part, format!("{before}{word}(_, {}", &after[1..])));
        } else if is_called && !is_keyword(word) && !before.ends_with("fn ") {
            edited.push((Mistake::Called, format!("{before}missing{after}")));
            edited.push((Mistake::Arity, format!("{before}{word}(0, {}", &after[1..])));
        } else if after.starts_with(": ") && before.trim_end().ends_with(['{', ',']) && !is_type {
            edited.push((Mistake::Field, format!("{before}missing{after}")));
        }
    }
    edited
}

/// Whether a word may stand before a parenthesis, and calls nothing.
fn is_keyword(word: &str) -> bool {
    ["as", "break", "else", "for", "if", "in", "let", "match", "move", "mut", "return", "while"]
        .contains(&word)
}

/// Whether a word is the name of a local.
fn is_variable(word: &str) -> bool {
    let number = word.strip_prefix('v').unwrap_or_default();
    !number.is_empty() && number.chars().all(|c| c.is_ascii_digit())
}
