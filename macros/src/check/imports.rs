//! What the source file around a function imports.
//!
//! Only `use` statements and the heads of items are read, as text. If the file cannot be found,
//! nothing is known of it, and the rules go by the names that are common.

use std::collections::HashMap;

use proc_macro2::Span;
use syn::ItemUse;

use super::names::{Meaning, add_tree};
use crate::source::file_of;

/// Names that a source file imports or defines.
#[derive(Debug, Default)]
pub(super) struct Imports(HashMap<String, Option<Meaning>>);

impl Imports {
    /// The names of the file that `span` is in.
    pub(super) fn around(span: Span) -> Self {
        file_of(span).map(|file| Self::of_text(&file.text)).unwrap_or_default()
    }

    /// The names in the text of a file.
    pub(super) fn of_text(text: &str) -> Self {
        let mut imports = Self::default();
        let mut lines = text.lines();
        while let Some(line) = lines.next() {
            let item = without_visibility(line.trim_start());
            if item.starts_with("use ") {
                imports.add_use(item, &mut lines);
            } else if let Some(name) = defined_name(item) {
                imports.add(name.to_owned(), Meaning::Own);
            }
        }
        imports
    }

    /// What `name` stands for, unless the file gives it several meanings.
    pub(super) fn get(&self, name: &str) -> Option<&Meaning> {
        self.0.get(name)?.as_ref()
    }

    /// Adds a statement that starts with the line `first`.
    fn add_use<'a>(&mut self, first: &'a str, rest: &mut impl Iterator<Item = &'a str>) {
        let mut text = String::new();
        let mut next = Some(first);
        while let Some(line) = next {
            let line = line.split("//").next().unwrap_or_default();
            // Anything else is no `use` statement but prose, or too unusual to matter. It is not
            // given to the parser, because rustc reports what it cannot split into tokens.
            let is_plain = |c: char| c.is_alphanumeric() || "_:{}*,; \t".contains(c);
            if !line.chars().all(is_plain) {
                return;
            }
            text.push_str(line);
            text.push(' ');
            if line.contains(';') {
                break;
            }
            next = rest.next();
        }
        let Some((statement, _)) = text.split_once(';').filter(|_| is_balanced(&text)) else {
            return;
        };
        if let Ok(item) = syn::parse_str::<ItemUse>(&format!("{statement};")) {
            add_tree(&item.tree, &mut Vec::new(), &mut |name, path| {
                self.add(name, Meaning::of(path));
            });
        }
    }

    /// A file has several modules and bodies. A name with different meanings in it says nothing.
    fn add(&mut self, name: String, meaning: Meaning) {
        self.0
            .entry(name)
            .and_modify(|known| {
                if known.as_ref() != Some(&meaning) {
                    *known = None;
                }
            })
            .or_insert(Some(meaning));
    }
}

fn is_balanced(text: &str) -> bool {
    let mut depth = 0_u32;
    text.chars().all(|c| match c {
        '{' => {
            depth += 1;
            true
        }
        '}' => depth.checked_sub(1).map(|less| depth = less).is_some(),
        _ => true,
    }) && depth == 0
}

fn without_visibility(line: &str) -> &str {
    let Some(rest) = line.strip_prefix("pub") else { return line };
    let rest = match rest.strip_prefix('(') {
        Some(rest) => rest.split_once(')').map_or(rest, |(_, rest)| rest),
        None => rest,
    };
    rest.trim_start()
}

/// The name of the type, module or function that a line defines.
fn defined_name(line: &str) -> Option<&str> {
    let line = line.strip_prefix("async ").unwrap_or(line);
    let (keyword, rest) = line.split_once(' ')?;
    if !["struct", "enum", "union", "trait", "type", "mod", "fn", "macro_rules!"].contains(&keyword)
    {
        return None;
    }
    let end = rest.find(|c: char| !c.is_alphanumeric() && c != '_').unwrap_or(rest.len());
    Some(&rest[..end]).filter(|name| !name.is_empty())
}

#[cfg(test)]
mod tests {
    use super::*;

    fn path(imports: &Imports, name: &str) -> Option<String> {
        match imports.get(name)? {
            Meaning::Path(path) => Some(path.join("::")),
            Meaning::Own => Some("own".to_owned()),
        }
    }

    #[test]
    fn statements_and_heads_of_items_are_read() {
        let imports = Imports::of_text(
            "//! Use this; it's good.\n\
             use std::time::Instant as Clock;\n\
             pub(crate) use std::{\n    env, // for the settings\n    fs::File,\n};\n\
             use crate::own::Timer;\n\
             pub struct Utc;\n\
             async fn sleep() {}\n\
             let text = \"\nuse of 'quotes';\n\";\n\
             mod tests {\n    use std::{thread;\n}\n",
        );
        let expected = [
            ("Clock", Some("std::time::Instant")),
            ("env", Some("std::env")),
            ("File", Some("std::fs::File")),
            ("Timer", Some("crate::own::Timer")),
            ("Utc", Some("own")),
            ("sleep", Some("own")),
            ("thread", None),
            ("of", None),
        ];
        for (name, meaning) in expected {
            assert_eq!(path(&imports, name).as_deref(), meaning, "{name}");
        }
    }

    #[test]
    fn a_name_with_two_meanings_has_none() {
        let imports = Imports::of_text("use tokio::time::Instant;\nuse std::time::Instant;\n");
        assert_eq!(path(&imports, "Instant"), None);
    }
}
