//! The name of a field, with its span.

use std::borrow::Borrow;
use std::cmp::Ordering;
use std::hash::{Hash, Hasher};
use std::ops::Deref;

use proc_macro2::Span;
use syn::Member;

/// The name of a field, or its index in a tuple. Equality ignores the span.
#[derive(Clone, Debug)]
pub(crate) struct Field {
    name: String,
    span: Span,
}

impl Field {
    pub(crate) fn new(name: String, span: Span) -> Self {
        Self { name, span }
    }

    /// The span of its first use in the source.
    pub(crate) fn span(&self) -> Span {
        self.span
    }
}

impl From<&Member> for Field {
    fn from(member: &Member) -> Self {
        match member {
            Member::Named(ident) => Self::new(ident.to_string(), ident.span()),
            Member::Unnamed(index) => Self::new(index.index.to_string(), index.span),
        }
    }
}

impl Deref for Field {
    type Target = str;

    fn deref(&self) -> &str {
        &self.name
    }
}

impl Borrow<str> for Field {
    fn borrow(&self) -> &str {
        self
    }
}

impl PartialEq for Field {
    fn eq(&self, other: &Self) -> bool {
        self.name == other.name
    }
}

impl Eq for Field {}

impl PartialOrd for Field {
    fn partial_cmp(&self, other: &Self) -> Option<Ordering> {
        Some(self.cmp(other))
    }
}

impl Ord for Field {
    fn cmp(&self, other: &Self) -> Ordering {
        self.name.cmp(&other.name)
    }
}

impl Hash for Field {
    fn hash<H: Hasher>(&self, state: &mut H) {
        self.name.hash(state);
    }
}
