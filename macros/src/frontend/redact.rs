//! `#[redact]`: a local whose value is hidden from people who inspect a run.

use syn::visit_mut::VisitMut as _;
use syn::{Attribute, FnArg, ItemFn};

use crate::diagnostics::Diagnostics;
use crate::frontend::let_attribute::LetAttribute;

const REDACT: &LetAttribute = &LetAttribute {
    name: "redact",
    misplaced: "`#[redact]` needs a variable",
    help: "put `#[redact]` on a `let` statement or on a parameter of the workflow",
};

/// Removes the attribute, and returns whether it was there.
pub(crate) fn take(attrs: &mut Vec<Attribute>) -> bool {
    REDACT.take(attrs)
}

/// The attribute, for another item.
pub(crate) fn of(attrs: &[Attribute]) -> Option<&Attribute> {
    attrs.iter().find(|attr| REDACT.is(attr))
}

/// Reports and removes attributes that are not on a local.
pub(crate) fn check(function: &mut ItemFn, diagnostics: &Diagnostics) {
    for input in &function.sig.inputs {
        if let FnArg::Typed(param) = input {
            REDACT.plain(&param.attrs, diagnostics);
        }
    }
    let mut checker = REDACT.checker(diagnostics, |local| {
        REDACT.plain(&local.attrs, diagnostics);
    });
    checker.visit_block_mut(&mut function.block);
}

/// Reports the attribute on a parameter that is not stored.
pub(crate) fn refuse(attrs: &mut Vec<Attribute>, diagnostics: &Diagnostics) {
    REDACT.checker(diagnostics, |_| ()).visit_attributes_mut(attrs);
}
