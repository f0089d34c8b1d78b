//! The graph as constant data.

use std::fmt::Write as _;

use proc_macro2::{Span, TokenStream};
use quote::{ToTokens, quote};

use super::machine::Machine;
use crate::ir::{NamedBranch, PointKind};
use crate::layout::State;
use crate::syntax::fingerprint::{BindingPlace, Fingerprint, Place};

/// The `Graph` as an expression.
///
/// It is one text, which is parsed at run time: each expression takes rustc time.
pub(super) fn graph(machine: &Machine<'_>) -> TokenStream {
    let name = &machine.function.name;
    let mut edges = machine.layout.edges.iter().peekable();
    let mut text = String::new();
    let places = machine.graph.locals.places();
    for (index, state) in machine.layout.states.iter().enumerate() {
        let mut next = Vec::new();
        while let Some((_, to)) = edges.next_if(|(from, _)| *from == index) {
            next.push(to.map_or("end".to_owned(), |to| to.to_string()));
        }
        add_state(machine, state, &next.join(","), &places, &mut text);
    }
    quote!(&__piton::Graph::new(#name, ::core::file!(), #text))
}

/// Adds the line of a state: its name, the kind and the source line of its await, its successors (`next`), its place
/// among the states of the same name, its borrows, its branches, and its saved locals.
fn add_state(
    machine: &Machine<'_>,
    state: &State,
    next: &str,
    places: &[BindingPlace],
    text: &mut String,
) {
    let (kind, span, place, branches) = match state.point {
        None => {
            let place = Place::only(Fingerprint::NONE);
            ("start", machine.function.ident.span(), place, &[][..])
        }
        Some(point) => {
            let point = &machine.graph.points[point.0];
            let kind = match point.kind {
                PointKind::Call => "call",
                PointKind::Timer => "timer",
                PointKind::Signal => "signal",
                PointKind::Select => "select",
                PointKind::Join => "join",
                PointKind::Update => "update",
                PointKind::Other => "other",
            };
            (kind, point.span, point.place, &*point.branches)
        }
    };
    let borrows = machine.borrows.text_of(state);
    // Writing to a String cannot fail.
    let _ = write!(text, "{}\t{kind}\t{}\t{next}\t{place}\t{borrows}\t", state.name, line(span));
    for (index, NamedBranch { name, is_block, place }) in branches.iter().enumerate() {
        if index > 0 {
            text.push('\x1f');
        }
        let _ = write!(text, "{place}{}{name}", if *is_block { '*' } else { ' ' });
    }
    for id in &state.fields {
        let variable = machine.layout.variable(*id);
        let local = &machine.graph.locals[variable.place.local];
        let mark = if local.visibility.redacted { '!' } else { ' ' };
        let exposed = if local.visibility.exposed { "@" } else { "" };
        let place = &places[variable.place.local.0];
        let _ = write!(text, "\t{place}{mark}{exposed}{}", variable.stored);
        for former in &local.identity.former_names {
            let _ = write!(text, "\x1f{former}");
        }
        if let Some(ty) = &local.ty
            && variable.place.fields.is_empty()
        {
            let _ = write!(text, ": {}", type_text(ty).replace(['\n', '\t'], " "));
        }
    }
    text.push('\n');
}

/// The source line of a span. It is 0 in unit tests, which run without a compiler.
fn line(span: Span) -> usize {
    if proc_macro::is_available() { span.unwrap().start().line() } else { 0 }
}

/// The text of a type with the usual spaces.
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
