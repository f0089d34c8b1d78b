//! `#[expose]`: a local that is saved in every state to the end of its scope, so that it can be read from outside.

use syn::visit_mut::{self, VisitMut};
use syn::{Attribute, Ident, ItemFn, Local, Macro, Meta, Pat};

use crate::diagnostics::Diagnostics;
use crate::hygiene::Names;
use crate::normalize::select::visit_code_mut;

/// Takes the attribute off. Tells whether it was there.
pub(crate) fn take(attrs: &mut Vec<Attribute>) -> bool {
    let before = attrs.len();
    attrs.retain(|attr| !is_expose(attr));
    attrs.len() < before
}

/// Reports the attribute where it cannot be, and takes it off there. Gives the names of what is exposed.
pub(crate) fn check(function: &mut ItemFn, diagnostics: &Diagnostics) -> Vec<Ident> {
    let mut check = Check { diagnostics, exposed: Vec::new() };
    check.visit_item_fn_mut(function);
    check.exposed
}

fn is_expose(attr: &Attribute) -> bool {
    attr.path().is_ident("expose")
}

struct Check<'a> {
    diagnostics: &'a Diagnostics,
    exposed: Vec<Ident>,
}

impl Check<'_> {
    /// Reports what is wrong with it where it can be.
    fn form(&mut self, local: &Local) {
        let mut found = local.attrs.iter().filter(|attr| is_expose(attr));
        let Some(first) = found.next() else { return };
        if !matches!(first.meta, Meta::Path(_)) {
            self.diagnostics.malformed(first, "`#[expose]` has no options", "write `#[expose]`");
        }
        if let Some(second) = found.next() {
            self.diagnostics.malformed(second, "`#[expose]` is there twice", "remove one of them");
        }
        let mut pat = &local.pat;
        while let Pat::Type(typed) = pat {
            pat = &typed.pat;
        }
        match pat {
            Pat::Ident(pat) if pat.by_ref.is_none() && pat.subpat.is_none() => {
                if self.exposed.contains(&pat.ident) {
                    self.diagnostics.malformed(
                        first,
                        format!("another variable `{}` is exposed by this workflow", pat.ident),
                        "give one of them another name: by its name it is known from outside",
                    );
                }
                self.exposed.push(pat.ident.clone());
            }
            _ => self.diagnostics.malformed(
                first,
                "an exposed variable is known by its name, and this pattern is none",
                "bind the variable with a `let` of its own: `#[expose] let mut cart = …;`",
            ),
        }
    }
}

impl VisitMut for Check<'_> {
    fn visit_attributes_mut(&mut self, attrs: &mut Vec<Attribute>) {
        for attr in attrs.extract_if(.., |attr| is_expose(attr)) {
            self.diagnostics.malformed(
                attr,
                "there is no `let` here",
                "put `#[expose]` on a `let` statement of the workflow",
            );
        }
    }

    fn visit_local_mut(&mut self, local: &mut Local) {
        self.form(local);
        let attrs = std::mem::take(&mut local.attrs);
        visit_mut::visit_local_mut(self, local);
        local.attrs = attrs;
    }

    fn visit_macro_mut(&mut self, mac: &mut Macro) {
        if Names::of(mac.tokens.clone()).has("expose") {
            visit_code_mut(mac, self);
        }
    }

    // A function in the body is looked at when it is compiled itself.
    fn visit_item_mut(&mut self, _: &mut syn::Item) {}
}
