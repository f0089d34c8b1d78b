//! Collects everything that is wrong with a function, so that all of it is reported at once.

use std::cell::RefCell;

use proc_macro2::Span;

/// Errors found so far. Must be [finished](Diagnostics::finish); dropping it unfinished panics, so a
/// pass cannot lose errors.
#[derive(Debug)]
pub(crate) struct Diagnostics {
    errors: RefCell<Option<Vec<syn::Error>>>,
}

impl Diagnostics {
    pub(crate) fn new() -> Self {
        Self { errors: RefCell::new(Some(Vec::new())) }
    }

    /// Reports that `rule` is broken at `span`. `message` is lower case without a final period;
    /// `help` is the rewrite.
    pub(crate) fn error(&self, span: Span, rule: &str, message: impl std::fmt::Display, help: &str) {
        let text = format!("{message}\n\n  help: {help}\n  note: rule `{rule}`");
        self.push(syn::Error::new(span, text));
    }

    /// Adds an error of the parser.
    pub(crate) fn push(&self, error: syn::Error) {
        if let Some(errors) = self.errors.borrow_mut().as_mut() {
            errors.push(error);
        }
    }

    /// Whether anything has been reported.
    pub(crate) fn has_errors(&self) -> bool {
        self.errors.borrow().as_ref().is_some_and(|errors| !errors.is_empty())
    }

    /// All errors as one, or `Ok` if there are none.
    pub(crate) fn finish(self) -> syn::Result<()> {
        let errors = self.errors.take().unwrap_or_default();
        let combined = errors.into_iter().reduce(|mut all, error| {
            all.combine(error);
            all
        });
        match combined {
            Some(error) => Err(error),
            None => Ok(()),
        }
    }
}

impl Drop for Diagnostics {
    fn drop(&mut self) {
        if self.errors.borrow().is_some() && !std::thread::panicking() {
            panic!("diagnostics were dropped without being finished");
        }
    }
}
