//! `#[expose]`: a local that is saved in every state to the end of its scope, so that it can be read from outside.

use syn::visit_mut::VisitMut as _;
use syn::{Attribute, Ident, ItemFn, Local, Pat};

use crate::diagnostics::Diagnostics;
use crate::frontend::let_attribute::LetAttribute;

const EXPOSE: &LetAttribute = &LetAttribute {
    name: "expose",
    misplaced: "expected a `let` statement",
    help: "put `#[expose]` on a `let` statement of the workflow",
};

/// Removes the attribute, and returns whether it was there.
pub(crate) fn take(attrs: &mut Vec<Attribute>) -> bool {
    EXPOSE.take(attrs)
}

/// Reports and removes misplaced attributes. Returns the names of the exposed variables.
pub(crate) fn check(function: &mut ItemFn, diagnostics: &Diagnostics) -> Vec<Ident> {
    let mut exposed = Vec::new();
    let mut checker = EXPOSE.checker(diagnostics, |local| form(local, &mut exposed, diagnostics));
    checker.visit_item_fn_mut(function);
    exposed
}

/// Reports an attribute on a `let` of a form that it does not support.
fn form(local: &Local, exposed: &mut Vec<Ident>, diagnostics: &Diagnostics) {
    let Some(attr) = EXPOSE.plain(&local.attrs, diagnostics) else { return };
    let mut pat = &local.pat;
    while let Pat::Type(typed) = pat {
        pat = &typed.pat;
    }
    match pat {
        Pat::Ident(pat) if pat.by_ref.is_none() && pat.subpat.is_none() => {
            if exposed.contains(&pat.ident) {
                diagnostics.malformed(
                    attr,
                    format!("the workflow exposes another variable named `{}`", pat.ident),
                    "rename one of them: an exposed variable is read by its name",
                );
            }
            exposed.push(pat.ident.clone());
        }
        _ => diagnostics.malformed(
            attr,
            "`#[expose]` needs a variable, and this is a pattern",
            "bind the variable with a `let` of its own: `#[expose] let mut cart = …;`",
        ),
    }
}
