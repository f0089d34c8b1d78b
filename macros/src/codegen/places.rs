//! Places as code: `order.lines.0`.

use proc_macro2::{Ident, Span, TokenStream};
use quote::{ToTokens, TokenStreamExt};
use syn::Index;

use super::add::add_at;
use crate::ir::Field;
use crate::syntax::hygiene::spelled;

/// A projection of a variable.
pub(super) struct PartOf<'a> {
    variable: &'a Ident,
    fields: &'a [Field],
    /// A span to use instead of that of the variable.
    at: Option<Span>,
}

pub(super) fn part_of<'a>(variable: &'a Ident, fields: &'a [Field]) -> PartOf<'a> {
    PartOf { variable, fields, at: None }
}

impl PartOf<'_> {
    /// With another span.
    pub(super) fn at(self, at: Option<Span>) -> Self {
        Self { at, ..self }
    }

    fn located(&self, span: Span) -> Span {
        self.at.map_or(span, |at| span.located_at(at))
    }
}

impl ToTokens for PartOf<'_> {
    fn to_tokens(&self, out: &mut TokenStream) {
        let mut variable = self.variable.clone();
        variable.set_span(self.located(variable.span()));
        out.append(variable);
        out.extend(fields_of(self.fields));
    }
}

/// The fields of a projection, each with its dot.
pub(super) fn fields_of(fields: &[Field]) -> TokenStream {
    let mut path = TokenStream::new();
    let out = &mut path;
    for field in fields {
        // rustc reports an unknown field where the source has it.
        let span = field.span();
        add_at!(out, span, .);
        match field.parse() {
            Ok(index) => Index { index, span }.to_tokens(out),
            Err(_) => out.append(spelled(field, span)),
        }
    }
    path
}
