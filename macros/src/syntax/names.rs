//! Identifiers as text.

use proc_macro2::Ident;
use syn::ext::IdentExt;
use syn::parse::Parser;

/// Whether the name is one of these. Comparing an identifier needs its text, so it is made once.
pub(crate) fn is_any_of(name: &Ident, names: &[&str]) -> bool {
    let name = name.to_string();
    for known in names {
        if *known == name {
            return true;
        }
    }
    false
}

/// A name from a format string, with `r#` if it is a keyword.
pub(crate) fn in_code(name: &str) -> String {
    if is_plain(name) || UNCHANGED.contains(&name) { name.to_owned() } else { format!("r#{name}") }
}

/// The name without `r#`.
pub(crate) fn without_prefix(name: &str) -> &str {
    name.strip_prefix("r#").unwrap_or(name)
}

/// Whether a text is an identifier, perhaps with `r#`.
pub(crate) fn is_name(text: &str) -> bool {
    Ident::parse_any.parse_str(text).is_ok()
}

/// Keywords that cannot have `r#`.
pub(crate) const UNCHANGED: [&str; 5] = ["_", "crate", "self", "Self", "super"];

/// Whether the name needs no `r#`. `gen` needs it since edition 2024.
pub(crate) fn is_plain(name: &str) -> bool {
    syn::parse_str::<Ident>(name).is_ok()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn keywords_in_format_strings_are_raw_names() {
        let names = ["type", "a", "self", "union"].map(in_code);
        assert_eq!(names, ["r#type", "a", "self", "union"]);
        assert!(is_name("type") && !is_name("1"));
    }
}
