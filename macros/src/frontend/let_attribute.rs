//! Attributes of `let` statements that only workflows have: `#[redact]`, `#[formerly]` and `#[expose]`.

use syn::visit_mut::{self, VisitMut};
use syn::{Attribute, Local, Macro, Meta};

use crate::diagnostics::Diagnostics;
use crate::syntax::hygiene::Names;
use crate::syntax::select::visit_code_mut;

/// One of the attributes, with its messages.
pub(crate) struct LetAttribute {
    pub(crate) name: &'static str,
    /// The message for an attribute that is not on a `let`.
    pub(crate) misplaced: &'static str,
    /// The help for that message.
    pub(crate) help: &'static str,
}

impl LetAttribute {
    pub(crate) fn is(&self, attr: &Attribute) -> bool {
        attr.path().is_ident(self.name)
    }

    /// Removes the attribute, and returns whether it was there.
    pub(crate) fn take(&self, attrs: &mut Vec<Attribute>) -> bool {
        let before = attrs.len();
        attrs.retain(|attr| !self.is(attr));
        attrs.len() < before
    }

    /// The attribute, if it is there. Reports options and repetitions.
    pub(crate) fn plain<'a>(
        &self,
        attrs: &'a [Attribute],
        diagnostics: &Diagnostics,
    ) -> Option<&'a Attribute> {
        let name = self.name;
        let mut found = attrs.iter().filter(|attr| self.is(attr));
        let first = found.next()?;
        if !matches!(first.meta, Meta::Path(_)) {
            let message = format!("`#[{name}]` has no options");
            diagnostics.malformed(first, message, &format!("write `#[{name}]`"));
        }
        if let Some(second) = found.next() {
            let message = format!("`#[{name}]` is given twice");
            diagnostics.malformed(second, message, "remove one of them");
        }
        Some(first)
    }

    /// A visitor that reports and removes misplaced attributes, and calls `form` with every `let`.
    pub(crate) fn checker<'a, F: FnMut(&Local)>(
        &'static self,
        diagnostics: &'a Diagnostics,
        form: F,
    ) -> Checker<'a, F> {
        Checker { attribute: self, diagnostics, form }
    }
}

/// See [`LetAttribute::checker`].
pub(crate) struct Checker<'a, F> {
    attribute: &'static LetAttribute,
    diagnostics: &'a Diagnostics,
    form: F,
}

impl<F: FnMut(&Local)> VisitMut for Checker<'_, F> {
    fn visit_attributes_mut(&mut self, attrs: &mut Vec<Attribute>) {
        let LetAttribute { misplaced, help, .. } = *self.attribute;
        for attr in attrs.extract_if(.., |attr| self.attribute.is(attr)) {
            self.diagnostics.malformed(attr, misplaced, help);
        }
    }

    fn visit_local_mut(&mut self, local: &mut Local) {
        (self.form)(local);
        let attrs = std::mem::take(&mut local.attrs);
        visit_mut::visit_local_mut(self, local);
        local.attrs = attrs;
    }

    fn visit_macro_mut(&mut self, mac: &mut Macro) {
        if Names::of(mac.tokens.clone()).has(self.attribute.name) {
            visit_code_mut(mac, self);
        }
    }

    // A workflow in the body is visited when it is compiled. In other functions, rustc reports the attribute.
    fn visit_item_mut(&mut self, _: &mut syn::Item) {}
}
