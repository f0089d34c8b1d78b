//! `#[formerly("…")]`: another name that a local had, by which saved states may have it.

use syn::visit_mut::{self, VisitMut};
use syn::{Attribute, ItemFn, LitStr, Local, Macro, Pat};

use crate::diagnostics::Diagnostics;
use crate::hygiene::Names;
use crate::normalize::select::visit_code_mut;

/// Takes the attributes off. Gives the names.
pub(crate) fn take(attrs: &mut Vec<Attribute>) -> Vec<String> {
    let taken = attrs.extract_if(.., |attr| is_formerly(attr));
    taken.filter_map(|attr| Some(attr.parse_args::<LitStr>().ok()?.value())).collect()
}

/// Reports the attribute where it cannot be, and takes it off there.
pub(crate) fn check(function: &mut ItemFn, diagnostics: &Diagnostics) {
    Check(diagnostics).visit_item_fn_mut(function);
}

fn is_formerly(attr: &Attribute) -> bool {
    attr.path().is_ident("formerly")
}

struct Check<'a>(&'a Diagnostics);

impl Check<'_> {
    /// Reports what is wrong with it where it can be.
    fn form(&self, local: &Local) {
        let mut pat = &local.pat;
        while let Pat::Type(typed) = pat {
            pat = &typed.pat;
        }
        for attr in local.attrs.iter().filter(|attr| is_formerly(attr)) {
            let name = attr.parse_args::<LitStr>().ok().map(|name| name.value());
            let is_name = |name: &String| syn::parse_str::<syn::Ident>(name).is_ok();
            let help = "write `#[formerly(\"total\")]` with the name that the variable had";
            match (pat, name.filter(is_name)) {
                (_, None) => self.0.malformed(attr, "this is no name of a variable", help),
                (Pat::Ident(pat), Some(name)) if pat.ident == name => {
                    self.0.malformed(attr, "the variable has this name today", "remove it");
                }
                (Pat::Ident(_), Some(_)) => {}
                _ => self.0.malformed(
                    attr,
                    "which variable of the pattern had this name cannot be told",
                    "bind that variable with a `let` of its own",
                ),
            }
        }
    }
}

impl VisitMut for Check<'_> {
    fn visit_attributes_mut(&mut self, attrs: &mut Vec<Attribute>) {
        for attr in attrs.extract_if(.., |attr| is_formerly(attr)) {
            self.0.malformed(
                attr,
                "there is no `let` here",
                "put `#[formerly(\"…\")]` on a `let` statement of the workflow",
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
        if Names::of(mac.tokens.clone()).has("formerly") {
            visit_code_mut(mac, self);
        }
    }

    // A function in the body is looked at when it is compiled itself.
    fn visit_item_mut(&mut self, _: &mut syn::Item) {}
}
