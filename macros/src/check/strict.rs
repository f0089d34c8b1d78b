//! `#[workflow(strict)]`: functions that are called must say that they are deterministic.
//!
//! A macro cannot look into a function that is called, so it lets rustc ask for a marker:
//! `#[workflow]`, `#[activity]` and `#[deterministic]` emit a type of the function's name, and that
//! type must implement `Checked`.

use quote::quote_spanned;
use syn::spanned::Spanned;
use syn::{ExprPath, Ident};

use super::Checker;

/// Functions of the preludes of Rust and piton, which only compute.
const PRELUDE: [&str; 8] =
    ["align_of", "days", "drop", "hours", "join_all", "minutes", "seconds", "size_of"];

/// Crates whose functions are checked by name.
const KNOWN_CRATES: [&str; 2] = ["std", "piton"];

impl Checker<'_> {
    /// Asks for the marker of a free function that is called.
    pub(super) fn check_known(&mut self, path: &ExprPath) {
        if !self.is_strict || path.qself.is_some() || !is_function(&path.path) {
            return;
        }
        let resolved = self.names.resolve(&path.path).unwrap_or_default();
        let is_known = match resolved.as_slice() {
            // A closure of the body, or a function of the prelude.
            [name] => self.hashed.is_bound(name) || PRELUDE.contains(&name.as_str()),
            [first, ..] => KNOWN_CRATES.contains(&first.as_str()),
            [] => false,
        };
        // A function of the body is checked with it.
        if let Some(outside) = self.names.outside(&path.path).filter(|_| !is_known) {
            let span = path.span();
            let segments = outside.iter().map(|segment| Ident::new(segment, span));
            self.diagnostics.emit(quote_spanned! {span=>
                const _: () = <#(#segments)::* as ::piton::__private::Checked>::CHECKED;
            });
        }
    }
}

/// Whether a path is that of a free function: neither it nor what it is in has a capital.
fn is_function(path: &syn::Path) -> bool {
    let is_small = |name: String| name.chars().next().is_some_and(|c| !c.is_uppercase());
    path.segments.iter().rev().take(2).all(|segment| is_small(segment.ident.to_string()))
}
