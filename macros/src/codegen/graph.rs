//! The graph as constant data.

use proc_macro2::{Span, TokenStream};
use quote::{ToTokens, quote, quote_spanned};

use super::Machine;
use crate::ir::PointKind;
use crate::layout::State;

/// The `Graph` as an expression.
pub(super) fn graph(machine: &Machine<'_>) -> TokenStream {
    let name = &machine.function.name;
    let nodes = machine.layout.states.iter().map(|state| node(machine, state));
    let edges = machine.layout.edges.iter().map(|(from, to)| {
        let number = |index: usize| u32::try_from(index).unwrap_or(u32::MAX);
        let from = number(*from);
        let to = match to.map(number) {
            Some(to) => quote!(__piton::Some(#to)),
            None => quote!(__piton::None),
        };
        quote!(__piton::Edge { from: #from, to: #to })
    });
    quote! {
        &__piton::Graph {
            workflow: #name,
            nodes: &[#(#nodes),*],
            edges: &[#(#edges),*],
        }
    }
}

fn node(machine: &Machine<'_>, state: &State) -> TokenStream {
    let (kind, span): (_, Span) = match state.point {
        None => ("Start", machine.function.ident.span()),
        Some(point) => {
            let point = &machine.graph.points[point.0];
            let kind = match point.kind {
                PointKind::Call => "Call",
                PointKind::Timer => "Timer",
                PointKind::Signal => "Signal",
                PointKind::Select => "Select",
                PointKind::Join => "Join",
                PointKind::Other => "Other",
            };
            (kind, point.span)
        }
    };
    let kind = proc_macro2::Ident::new(kind, Span::call_site());
    let name = &state.name;
    let locals = state.fields.iter().map(|id| {
        let variable = machine.layout.variable(*id);
        let name = &variable.stored;
        let ty = &machine.graph.locals[variable.place.local].ty;
        let ty = match ty {
            Some(ty) if variable.place.fields.is_empty() => {
                let text = type_text(ty);
                quote!(__piton::Some(#text))
            }
            _ => quote!(__piton::None),
        };
        quote!(__piton::SavedLocal { name: #name, ty: #ty })
    });
    // `line!` gives the line of its own tokens.
    let line = quote_spanned!(span=> ::core::line!());
    quote! {
        __piton::Node {
            name: #name,
            kind: __piton::AwaitKind::#kind,
            file: ::core::file!(),
            line: #line,
            locals: &[#(#locals),*],
        }
    }
}

/// A type as it is usually written.
pub(crate) fn type_text(ty: &impl ToTokens) -> String {
    let spaced = ty.to_token_stream().to_string();
    let mut text = String::with_capacity(spaced.len());
    let mut chars = spaced.chars().peekable();
    while let Some(c) = chars.next() {
        let next = chars.peek().copied();
        let last = text.chars().last();
        let is_word = |c: Option<char>| c.is_some_and(|c| c.is_alphanumeric() || c == '_');
        // A space stays only between words, after commas, and around `+` and `=`.
        let keeps = (is_word(last) && is_word(next))
            || matches!(last, Some(',' | ';' | '+' | '='))
            || matches!(next, Some('+' | '='));
        if c != ' ' || keeps {
            text.push(c);
        }
    }
    text
}
