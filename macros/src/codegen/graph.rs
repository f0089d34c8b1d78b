//! The graph as constant data.

use proc_macro2::{Literal, Span, TokenStream};
use quote::{ToTokens, quote, quote_spanned};

use super::Machine;
use crate::ir::PointKind;
use crate::layout::{State, VariableId};

/// The `Graph` as an expression.
///
/// It is a `static`, which rustc evaluates once and does not look into again where a constant refers
/// to it. What there is for each state is as few expressions as can be, because each takes rustc time.
pub(super) fn graph(machine: &Machine<'_>) -> TokenStream {
    let name = &machine.function.name;
    let nodes = machine.layout.states.iter().map(|state| node(machine, state));
    let number = |index: usize| Literal::u32_unsuffixed(u32::try_from(index).unwrap_or(u32::MAX));
    let edges = machine.layout.edges.iter().map(|(from, to)| {
        let from = number(*from);
        let to = to.map_or_else(|| quote!(__piton::END), |to| number(to).into_token_stream());
        quote!((#from, #to))
    });
    quote! {{
        const FILE: &str = ::core::file!();
        static GRAPH: __piton::Graph = __piton::Graph {
            workflow: #name,
            nodes: &[#(#nodes),*],
            edges: &__piton::edges([#(#edges),*]),
        };
        &GRAPH
    }}
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
    let locals: Vec<_> = state.fields.iter().map(|id| saved_local(machine, *id)).collect();
    let (text, count) = (locals.join("\n"), Literal::usize_unsuffixed(locals.len()));
    let line = line(span);
    quote! {
        __piton::Node {
            name: #name,
            kind: __piton::AwaitKind::#kind,
            file: FILE,
            line: #line,
            locals: __piton::saved_locals(#text, #count),
        }
    }
}

/// The line that `SavedLocals` has of a variable.
fn saved_local(machine: &Machine<'_>, id: VariableId) -> String {
    let variable = machine.layout.variable(id);
    let name = &variable.stored;
    match &machine.graph.locals[variable.place.local].ty {
        Some(ty) if variable.place.fields.is_empty() => {
            format!("{name}: {}", type_text(ty).replace('\n', " "))
        }
        _ => name.clone(),
    }
}

/// The line of a place in the source. Asking for it takes rustc much less than expanding `line!`, but
/// needs a compiler around, which a unit test has not.
fn line(span: Span) -> TokenStream {
    if proc_macro::is_available() {
        let line = span.unwrap().start().line();
        Literal::usize_unsuffixed(line).into_token_stream()
    } else {
        quote_spanned!(span=> ::core::line!())
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
