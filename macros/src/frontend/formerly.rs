//! `#[formerly("…")]`: a former name of a local, which saved states may contain.

use syn::visit_mut::VisitMut as _;
use syn::{Attribute, ItemFn, LitStr, Local, Pat};

use crate::diagnostics::Diagnostics;
use crate::frontend::let_attribute::LetAttribute;

const FORMERLY: &LetAttribute = &LetAttribute {
    name: "formerly",
    misplaced: "expected a `let` statement",
    help: "put `#[formerly(\"…\")]` on a `let` statement of the workflow",
};

/// Removes the attributes, and returns the names.
pub(crate) fn take(attrs: &mut Vec<Attribute>) -> Vec<String> {
    let taken = attrs.extract_if(.., |attr| FORMERLY.is(attr));
    taken.filter_map(|attr| Some(attr.parse_args::<LitStr>().ok()?.value())).collect()
}

/// Reports and removes misplaced attributes.
pub(crate) fn check(function: &mut ItemFn, diagnostics: &Diagnostics) {
    let mut checker = FORMERLY.checker(diagnostics, |local| form(local, diagnostics));
    checker.visit_item_fn_mut(function);
}

/// Reports an attribute on a `let` of a form that it does not support.
fn form(local: &Local, diagnostics: &Diagnostics) {
    let mut pat = &local.pat;
    while let Pat::Type(typed) = pat {
        pat = &typed.pat;
    }
    for attr in local.attrs.iter().filter(|attr| FORMERLY.is(attr)) {
        let name = attr.parse_args::<LitStr>().ok().map(|name| name.value());
        let is_name = |name: &String| syn::parse_str::<syn::Ident>(name).is_ok();
        let help = "write `#[formerly(\"total\")]` with the name that the variable had";
        match (pat, name.filter(is_name)) {
            (_, None) => diagnostics.malformed(attr, "this is not the name of a variable", help),
            (Pat::Ident(pat), Some(name)) if pat.ident == name => {
                diagnostics.malformed(
                    attr,
                    "this is the present name of the variable",
                    "remove it",
                );
            }
            (Pat::Ident(_), Some(_)) => {}
            _ => diagnostics.malformed(
                attr,
                "`#[formerly]` needs a `let` with one variable",
                "bind the variable that had this name with a `let` of its own",
            ),
        }
    }
}
