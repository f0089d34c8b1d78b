//! Lints that rustc would report for the source and does not see in the machine.
//!
//! For each such place, a function is emitted for which rustc reports the same lint at the same span, so the lint
//! has the level that the user has set. These functions are never called.

use proc_macro2::{Delimiter, Group, Ident, Span, TokenStream};
use quote::{ToTokens, quote, quote_spanned};
use syn::visit::Visit;
use syn::{Block, Expr, Pat, Stmt};

use super::machine::Machine;
use crate::collections::sets::Set;
use crate::ir::usage::Usage;
use crate::ir::{LocalId, Node, Terminator, span_ends};
use crate::layout::VariableId;
use crate::syntax::conditions::chain;
use crate::syntax::divergence::always as always_jumps;

/// The functions.
pub(super) fn lints(machine: &Machine<'_>) -> TokenStream {
    let mut faults = Faults::default();
    faults.visit_block(&machine.function.body);
    faults.bodies.extend(unread(machine).map(|ident| quote!(let #ident = ();)));
    let (bodies, lints) = (faults.bodies, &machine.function.lints);
    if bodies.is_empty() {
        return TokenStream::new();
    }
    let names = (0..bodies.len()).map(|index| Ident::new(&format!("f{index}"), Span::mixed_site()));
    let lints = quote!(#(#[allow(#lints)])*);
    let functions = quote!(#(#lints #[allow(dead_code, clippy::all)] fn #names() { #bodies })*);
    quote!(const _: () = { #functions };)
}

/// Variables that no code reads, although their generated declarations allow this.
fn unread<'a>(machine: &'a Machine<'_>) -> impl Iterator<Item = &'a Ident> {
    let graph = machine.graph;
    let mut named = Set::new();
    for block in &graph.blocks {
        for (node, usage) in block.nodes.iter().zip(&block.usages) {
            let given = match node {
                Node::Define { local, .. } => Some(local),
                _ => None,
            };
            named.extend(usage.mentions.iter().filter(|local| Some(*local) != given).copied());
        }
        named.extend(block.end_usage.mentions.iter().copied());
    }
    // Conditions and guards also name their own bindings.
    for block in &graph.blocks {
        let operands = match &block.end {
            Terminator::If { cond, .. } => chain(cond),
            Terminator::Match { arms, .. } => {
                arms.iter().filter_map(|(pat, _)| guard(pat)).collect()
            }
            _ => continue,
        };
        let usages = operands.into_iter().map(|operand| Usage::of_expr(&graph.locals, operand));
        named.extend(usages.flat_map(|usage| usage.mentions));
    }
    let segments = &machine.layout.segments;
    let local_of = |id: &VariableId| machine.layout.variable(*id).place.local;
    // Where a segment declares a variable itself, rustc reports it.
    let is_seen = |local: &LocalId| {
        segments.iter().any(|segment| {
            let is_given = segment.declared.contains(local)
                || segment.entry.iter().any(|id| local_of(id) == *local);
            segment.named.contains(local) && !is_given
        })
    };
    let declared = segments.iter().flat_map(|segment| &segment.declared).copied();
    let unread: Set<LocalId> = declared.filter(|local| !is_seen(local)).collect();
    let is_of_source = |ident: &&Ident| !ident.to_string().starts_with('_');
    // Views read exposed variables.
    let is_exposed = |local: &LocalId| graph.locals[*local].visibility.exposed;
    let unread = unread.into_iter();
    let unread = unread.filter(move |local| !named.contains(local) && !is_exposed(local));
    unread.map(|local| &graph.locals[local].ident).filter(is_of_source)
}

fn guard(pat: &Pat) -> Option<&Expr> {
    match pat {
        Pat::Guard(pat) => Some(&pat.guard),
        _ => None,
    }
}

#[derive(Default)]
struct Faults {
    bodies: Vec<TokenStream>,
}

impl<'ast> Visit<'ast> for Faults {
    fn visit_block(&mut self, block: &'ast Block) {
        let stmts = || block.stmts.iter().filter(|stmt| !matches!(stmt, Stmt::Item(_)));
        for (stmt, next) in stmts().zip(stmts().skip(1)) {
            let known = self.bodies.len();
            self.visit_stmt(stmt);
            if always_jumps(stmt) {
                // rustc reports unreachable code once.
                if self.bodies.len() == known {
                    self.bodies.push(unreachable(stmt, next));
                }
                return;
            }
        }
        if let Some(last) = stmts().next_back() {
            self.visit_stmt(last);
        }
    }

    fn visit_item(&mut self, _: &'ast syn::Item) {}
}

/// `jump` makes `next` unreachable.
fn unreachable(jump: &Stmt, next: &Stmt) -> TokenStream {
    let spanned = |stmt: &Stmt, head: fn(Span) -> TokenStream| {
        let (start, end) = span_ends(stmt.to_token_stream());
        let mut last = Group::new(Delimiter::Parenthesis, TokenStream::new());
        last.set_span(end);
        let (head, semi) = (head(start), quote_spanned!(end=> ;));
        quote!(#head #last #semi)
    };
    let jump = spanned(jump, |span| quote_spanned!(span=> return));
    let next = spanned(next, |span| quote_spanned!(span=> return));
    quote!(#jump #next)
}
