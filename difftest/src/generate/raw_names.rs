//! Raw names: items named by keywords, and names with and without `r#`.

use super::{Generator, Node};
use crate::script::Rng;

/// What variables, parameters, fields and functions may be called by.
const KEYWORDS: [&str; 12] =
    ["type", "match", "fn", "loop", "move", "where", "in", "as", "dyn", "try", "yield", "abstract"];

/// Fields of the types of programs, and functions, if there are any.
const OTHERS: [&str; 6] = ["karma", "seats", "owner", "balance", "helper0", "recursive"];

/// How a name is written from now on.
struct Renamed {
    from: String,
    to: String,
    /// Whether it is written without `r#`, too.
    is_plain: bool,
}

impl Generator {
    /// Some programs with other names for a few of their variables, fields and functions.
    pub(super) fn with_raw_names(&mut self, program: Node) -> Node {
        if !self.rng.chance(30) {
            return program;
        }
        let mut renamed = Vec::new();
        let first = self.rng.below(KEYWORDS.len());
        for index in 0..5 {
            let to = KEYWORDS[(first + index) % KEYWORDS.len()].to_owned();
            // What all functions have as a parameter is what format strings capture most often.
            let is_parameter = index == 0 && self.rng.chance(50);
            let from = if is_parameter { "n".to_owned() } else { self.a_local() };
            renamed.push(Renamed { from, to, is_plain: false });
        }
        let to = KEYWORDS[(first + 5) % KEYWORDS.len()].to_owned();
        renamed.push(Renamed { from: self.rng.pick(&OTHERS).to_owned(), to, is_plain: false });
        for _ in 0..2 {
            let from = self.a_local();
            renamed.push(Renamed { to: from.clone(), from, is_plain: true });
        }
        program.map_text(&mut |text| rename(&text, &renamed, &mut self.rng))
    }

    fn a_local(&mut self) -> String {
        format!("v{}", 1 + self.rng.below(self.names + 1))
    }
}

/// The text with its words renamed. In a format string, names are written without `r#`.
fn rename(text: &str, renamed: &[Renamed], rng: &mut Rng) -> String {
    let is_part = |c: char| c.is_alphanumeric() || c == '_';
    let (mut out, mut rest, mut is_in_string) = (String::new(), text, false);
    while let Some(first) = rest.chars().next() {
        let length = if is_part(first) {
            rest.find(|c| !is_part(c)).unwrap_or(rest.len())
        } else {
            first.len_utf8()
        };
        let (word, after) = rest.split_at(length);
        rest = after;
        // Templates have neither escaped quotes nor quotes as characters.
        is_in_string ^= word == "\"";
        let is_captured = is_in_string && out.ends_with('{');
        let found = renamed.iter().find(|renamed| renamed.from == word);
        match found.filter(|_| !is_in_string || is_captured) {
            Some(Renamed { to, is_plain, .. }) => {
                let is_raw = !(is_captured || *is_plain && rng.chance(50));
                // A label has a quote before it, and no other name.
                out += if is_raw && !out.ends_with('\'') { "r#" } else { "" };
                out += to;
            }
            None => out += word,
        }
    }
    out
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn words_are_renamed_but_not_in_texts() {
        let renamed = [Renamed { from: "v1".to_owned(), to: "type".to_owned(), is_plain: false }];
        let text = rename("v1 + v12(\"v1 {v1:?}\", row_v1, v1.0)", &renamed, &mut Rng::new(1));
        assert_eq!(text, "r#type + v12(\"v1 {type:?}\", row_v1, r#type.0)");
    }
}
