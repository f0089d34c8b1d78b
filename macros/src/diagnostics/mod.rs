//! Collects all errors of a function, so that they are reported together.

pub(crate) mod rules;

use std::cell::RefCell;
use std::fmt::Display;

use proc_macro2::{Span, TokenStream};
use quote::{ToTokens, quote_spanned};

use crate::diagnostics::rules::Rule;

/// Errors found so far. Must be [finished](Diagnostics::finish); dropping it unfinished panics, so a
/// pass cannot lose errors.
#[derive(Debug)]
pub(crate) struct Diagnostics {
    errors: RefCell<Option<Vec<syn::Error>>>,
    warnings: RefCell<TokenStream>,
}

impl Diagnostics {
    pub(crate) fn new() -> Self {
        Self { errors: RefCell::new(Some(Vec::new())), warnings: RefCell::default() }
    }

    /// Reports that `rule` is broken at `span`. `message` is lower case without a final period;
    /// `help` is the rewrite.
    pub(crate) fn error(&self, span: Span, rule: Rule, message: impl Display, help: &str) {
        self.push(syn::Error::new(span, rule_text(rule, &message, help)));
    }

    /// As [`error`](Self::error), underlining all of `tokens`.
    pub(crate) fn error_at(
        &self,
        tokens: impl ToTokens,
        rule: Rule,
        message: impl Display,
        help: &str,
    ) {
        self.push(syn::Error::new_spanned(tokens, rule_text(rule, &message, help)));
    }

    /// As [`error`](Self::error), but as a warning.
    ///
    /// Stable Rust gives macros no warnings of their own, so this is the use of a deprecated
    /// constant, which rustc warns about.
    pub(crate) fn warning(&self, span: Span, rule: Rule, message: impl Display, help: &str) {
        let note = rule_text(rule, &message, help);
        let name = syn::Ident::new(rule.name(), span);
        self.warnings.borrow_mut().extend(quote_spanned! {span=>
            const _: () = {
                #[deprecated(note = #note)]
                #[allow(non_upper_case_globals)]
                const #name: () = ();
                #name
            };
        });
    }

    /// Adds an item that lets rustc check something, to be emitted beside the function.
    pub(crate) fn emit(&self, item: TokenStream) {
        self.warnings.borrow_mut().extend(item);
    }

    /// Reports a malformed attribute.
    pub(crate) fn malformed(&self, tokens: impl ToTokens, message: impl Display, help: &str) {
        self.error_at(tokens, Rule::ATTRIBUTES, message, help);
    }

    /// Adds an error of the parser.
    pub(crate) fn push(&self, error: syn::Error) {
        if let Some(errors) = self.errors.borrow_mut().as_mut() {
            errors.push(error);
        }
    }

    /// Adds the diagnostics of another collection.
    pub(crate) fn append(&self, other: Self) {
        let warnings = other.take_warnings();
        if !warnings.is_empty() {
            self.emit(warnings);
        }
        if let Err(error) = other.finish() {
            self.push(error);
        }
    }

    /// Whether anything has been reported.
    pub(crate) fn has_errors(&self) -> bool {
        self.errors.borrow().as_ref().is_some_and(|errors| !errors.is_empty())
    }

    /// The items that make rustc check or warn, to be emitted beside the function.
    pub(crate) fn take_warnings(&self) -> TokenStream {
        self.warnings.take()
    }

    /// Removes and returns the errors so far, as tokens.
    pub(crate) fn take_errors(&self) -> TokenStream {
        let errors = self.errors.replace(Some(Vec::new())).unwrap_or_default();
        errors.into_iter().map(syn::Error::into_compile_error).collect()
    }

    /// `output` and all diagnostics.
    pub(crate) fn finish_with(self, mut output: TokenStream) -> TokenStream {
        output.extend(self.take_warnings());
        if let Err(errors) = self.finish() {
            output.extend(errors.into_compile_error());
        }
        output
    }

    /// All errors as one; `Ok` if there are none.
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

fn rule_text(rule: Rule, message: &dyn Display, help: &str) -> String {
    format!("{message}\n\n  help: {help}\n  note: rule `{}`", rule.name())
}

impl Drop for Diagnostics {
    fn drop(&mut self) {
        if self.errors.borrow().is_some() && !std::thread::panicking() {
            panic!("diagnostics were dropped without being finished");
        }
    }
}
