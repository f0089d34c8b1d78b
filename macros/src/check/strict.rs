//! `#[workflow(strict)]`: functions that are called, or passed to be called, must be marked as deterministic.
//!
//! The macro cannot see the definition of a called function, so it makes rustc check a marker: `#[workflow]`,
//! `#[activity]` and `#[deterministic]` emit a type with the function's name, which must implement `Checked`. For a
//! function in the same file, the macro reads its attributes.

use quote::quote_spanned;
use syn::spanned::Spanned;
use syn::{ExprPath, Ident};

use super::checker::Checker;
use crate::diagnostics::rules::Rule;
use crate::syntax::hygiene::spelled;
use crate::syntax::source::file_of;
use crate::syntax::source::imports::without_visibility;

/// Pure functions of the preludes of Rust and piton.
const PRELUDE: [&str; 8] =
    ["align_of", "days", "drop", "hours", "join_all", "minutes", "seconds", "size_of"];

/// Crates whose functions are checked by path.
const KNOWN_CRATES: [&str; 2] = ["std", "piton"];

impl Checker<'_> {
    /// Requires the marker of a free function that is called or passed as a value.
    pub(super) fn check_known(&mut self, path: &ExprPath) {
        if !self.is_strict || self.computes_once || path.qself.is_some() || !is_function(&path.path)
        {
            return;
        }
        let is_local = |name: &Ident| name == "self" || self.locals.is_bound(&name.to_string());
        if path.path.get_ident().is_some_and(is_local) {
            return;
        }
        let resolved = self.names.resolve(&path.path).unwrap_or_default();
        let is_known = match resolved.as_slice() {
            [name] => PRELUDE.contains(&name.as_str()),
            [first, ..] => KNOWN_CRATES.contains(&first.as_str()),
            [] => false,
        };
        // A function of the body is checked with the body.
        let Some(outside) = self.names.outside(&path.path).filter(|_| !is_known) else { return };
        let span = path.span();
        if let [name] = outside.as_slice()
            && file_of(span).is_some_and(|file| is_unmarked(&file.text, name))
        {
            return self.diagnostics.error_at(
                path,
                Rule::STRICT,
                format!("a strict workflow calls `{name}`, which is not known to be deterministic"),
                "put `#[deterministic]` on it, or call it in an activity",
            );
        }
        // rustc shows this alias in its message about a function that is no type.
        let alias = Ident::new("not_marked_deterministic", span);
        let segments = outside.iter().map(|segment| spelled(segment, span));
        self.diagnostics.emit(quote_spanned! {span=>
            const _: () = {
                #[allow(unused_imports)]
                use #(#segments)::* as #alias;
                <#alias as ::piton::__private::Checked>::CHECKED
            };
        });
    }
}

/// Whether the file has exactly one free function of this name, and no attribute marks it.
fn is_unmarked(text: &str, name: &str) -> bool {
    let lines: Vec<&str> = text.lines().collect();
    let heads: Vec<usize> =
        (0..lines.len()).filter(|&at| function_name(lines[at]) == Some(name)).collect();
    let [at] = heads.as_slice() else { return false };
    for line in lines[..*at].iter().rev() {
        match line.trim_end() {
            line if line.starts_with("//") || is_plain_attribute(line) => {}
            line => return line.is_empty() || line.ends_with(['}', ';']),
        }
    }
    true
}

/// The name of the free function that the line starts.
fn function_name(line: &str) -> Option<&str> {
    let mut head = without_visibility(line);
    for modifier in ["const ", "async ", "unsafe "] {
        head = head.strip_prefix(modifier).unwrap_or(head);
    }
    head.strip_prefix("fn ")?.split(|c: char| !c.is_alphanumeric() && c != '_').next()
}

/// Whether an attribute only informs rustc.
fn is_plain_attribute(line: &str) -> bool {
    const PLAIN: [&str; 7] = ["allow", "cold", "deny", "expect", "inline", "must_use", "warn"];
    line.strip_prefix("#[")
        .is_some_and(|line| line.ends_with(']') && PLAIN.iter().any(|name| line.starts_with(name)))
}

/// Types with lower-case names.
const PRIMITIVES: [&str; 17] = [
    "bool", "char", "f32", "f64", "i8", "i16", "i32", "i64", "i128", "isize", "str", "u8", "u16",
    "u32", "u64", "u128", "usize",
];

/// Whether the path names a free function: none of its segments has a capital.
fn is_function(path: &syn::Path) -> bool {
    let is_small = |name: &str| name.chars().next().is_some_and(|c| !c.is_uppercase());
    path.segments.iter().rev().take(2).all(|segment| {
        let name = segment.ident.to_string();
        is_small(&name) && !PRIMITIVES.contains(&name.as_str())
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn functions_of_the_file_without_a_mark_are_seen() {
        let text = "use rules::next;\n\nfn plain() {}\n\n/// Doc.\n#[inline]\npub(crate) const fn \
                    documented(x: u8) {}\n\n#[deterministic]\nfn marked() {}\n\n#[deterministic(\n    \
                    allow(clock),\n)]\nfn at_length() {}\n\nimpl X {\n    fn method() {}\n}\nfn \
                    twice() {}\nfn twice() {}\n#[other]\nfn unknown() {}\n";
        for (name, expected) in [
            ("plain", true),
            ("documented", true),
            ("marked", false),
            ("at_length", false),
            ("method", false),
            ("twice", false),
            ("unknown", false),
            ("next", false),
        ] {
            assert_eq!(is_unmarked(text, name), expected, "{name}");
        }
    }
}
