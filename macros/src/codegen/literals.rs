//! Tokens of locals with string literals whose types select the encoding, because the source does not show it.

use proc_macro2::{Ident, Span, TokenStream};
use quote::{quote, quote_spanned};

use super::first_awaits::error_span;
use super::machine::Machine;
use super::variables::{encoding_token, token as token_of};
use crate::ir::{LocalKind, Shape};
use crate::layout::VariableId;

/// Whether the type of a variable selects its encoding.
pub(super) fn is_by_type(machine: &Machine<'_>, id: VariableId) -> bool {
    let variable = machine.layout.variable(id);
    let local = &machine.graph.locals[variable.place.local];
    let may_last = variable.kind == LocalKind::Value
        && local.saving.is_static
        && local.saving.may_be_text
        && local.saving.item_of.is_none();
    may_last || literals(machine, id).is_some()
}

/// The shape of a variable that contains literals.
fn literals<'a>(machine: &Machine<'a>, id: VariableId) -> Option<&'a Shape> {
    let variable = machine.layout.variable(id);
    let is_saved_whole = matches!(variable.kind, LocalKind::Value | LocalKind::Items);
    let local = &machine.graph.locals[variable.place.local];
    local.literals_in(&variable.place.fields).filter(|_| is_saved_whole)
}

/// The token of a variable whose type selects the encoding, and the token of the encoding.
pub(super) fn token(machine: &Machine<'_>, id: VariableId, at: Span) -> TokenStream {
    let (token, encoding) = (token_of(id), encoding_token(id));
    let span = error_span(machine, machine.layout.variable(id), at);
    let inferred = quote_spanned!(span=> _);
    let function = Ident::new("held_across_this_await", at);
    quote_spanned! {at=>
        let (#token, #encoding) = {
            fn #function<T: 'static, H: __piton::Holds<T>>() -> (__piton::Local<T>, __piton::Told<H>) {
                __piton::lasting()
            }
            #function::<#inferred, #inferred>()
        };
    }
}

/// Selects the encoding, by method resolution in code after the last arm, where all types are known.
pub(super) fn select_encoding(machine: &Machine<'_>, id: VariableId, at: Span) -> TokenStream {
    if !is_by_type(machine, id) {
        return TokenStream::new();
    }
    let (token, encoding) = (token_of(id), encoding_token(id));
    let held = match literals(machine, id) {
        Some(shape) => held(shape, quote!(#token), at),
        None => quote_spanned!(at=> #token.piton_held()),
    };
    quote_spanned!(at=> (&#encoding).is(&#held);)
}

/// The expression whose type is the encoding of a shape.
fn held(shape: &Shape, token: TokenStream, at: Span) -> TokenStream {
    match shape {
        Shape::Text => quote_spanned!(at=> __piton::Literal),
        Shape::Tuple(parts) if shape.holds_text() => {
            let parts = parts.iter().enumerate().map(|(index, part)| {
                let index = syn::Index { index: index as u32, span: at };
                held(part, quote_spanned!(at=> #token.piton_parts().#index), at)
            });
            quote_spanned!(at=> (#(#parts,)*))
        }
        Shape::List(item) | Shape::Wrapped(item) if shape.holds_text() => {
            let item = held(item, quote_spanned!(at=> #token.piton_each()), at);
            quote_spanned!(at=> __piton::Each::is(&#item))
        }
        _ => quote_spanned!(at=> #token.piton_held()),
    }
}
