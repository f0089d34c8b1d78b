//! `#[redact]`: people who look at a run are not to see the value of a local.

use syn::visit_mut::{self, VisitMut};
use syn::{Attribute, FnArg, ItemFn, Macro, Meta};

use crate::diagnostics::Diagnostics;
use crate::hygiene::Names;
use crate::normalize::select::visit_code_mut;

/// Takes the attribute off. Tells whether it was there.
pub(crate) fn take(attrs: &mut Vec<Attribute>) -> bool {
    let before = attrs.len();
    attrs.retain(|attr| !is_redact(attr));
    attrs.len() < before
}

/// The attribute, to be put on something else.
pub(crate) fn of(attrs: &[Attribute]) -> Option<&Attribute> {
    attrs.iter().find(|attr| is_redact(attr))
}

/// Reports the attribute where there is no local to redact, and takes it off there.
pub(crate) fn check(function: &mut ItemFn, diagnostics: &Diagnostics) {
    let mut check = Check(diagnostics);
    for input in &mut function.sig.inputs {
        if let FnArg::Typed(param) = input {
            check.form(&param.attrs);
        }
    }
    check.visit_block_mut(&mut function.block);
}

/// Reports the attribute on a parameter that is no local.
pub(crate) fn refuse(attrs: &mut Vec<Attribute>, diagnostics: &Diagnostics) {
    Check(diagnostics).visit_attributes_mut(attrs);
}

fn is_redact(attr: &Attribute) -> bool {
    attr.path().is_ident("redact")
}

struct Check<'a>(&'a Diagnostics);

impl Check<'_> {
    /// Reports what is wrong with it where it can be.
    fn form(&self, attrs: &[Attribute]) {
        let mut found = attrs.iter().filter(|attr| is_redact(attr));
        let Some(first) = found.next() else { return };
        if !matches!(first.meta, Meta::Path(_)) {
            self.0.malformed(first, "`#[redact]` has no options", "write `#[redact]`");
        }
        if let Some(second) = found.next() {
            self.0.malformed(second, "`#[redact]` is there twice", "remove one of them");
        }
    }
}

impl VisitMut for Check<'_> {
    fn visit_attributes_mut(&mut self, attrs: &mut Vec<Attribute>) {
        for attr in attrs.extract_if(.., |attr| is_redact(attr)) {
            self.0.malformed(
                attr,
                "there is no variable here to redact",
                "put `#[redact]` on a `let` statement or on a parameter of the workflow",
            );
        }
    }

    fn visit_local_mut(&mut self, local: &mut syn::Local) {
        self.form(&local.attrs);
        let attrs = std::mem::take(&mut local.attrs);
        visit_mut::visit_local_mut(self, local);
        local.attrs = attrs;
    }

    fn visit_macro_mut(&mut self, mac: &mut Macro) {
        if Names::of(mac.tokens.clone()).has("redact") {
            visit_code_mut(mac, self);
        }
    }

    // A function in the body is looked at when it is compiled itself, and rustc knows no such attribute on what is not.
    fn visit_item_mut(&mut self, _: &mut syn::Item) {}
}
