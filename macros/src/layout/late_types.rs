//! Locals whose types are determined after an await, in a branch, and that are used after the branches: rustc reads
//! the arms of the machine in another order than the source.

use proc_macro2::{TokenStream, TokenTree};
use quote::ToTokens;
use syn::visit::Visit;
use syn::{Expr, Ident, Macro, Member, Stmt};

use crate::collections::sets::Set;
use crate::ir::usage::Usage;
use crate::ir::{Block, BlockId, BlockKind, Graph, LocalId, Node, Terminator, Untold};
use crate::syntax::macros::scan_names;

/// Those of the graph.
pub(super) fn find(graph: &Graph) -> Set<LocalId> {
    if graph.locals.ids().all(|local| graph.locals[local].untold.is_none()) {
        return Set::new();
    }
    let mut late = Set::new();
    for id in graph.block_ids() {
        late.add(&told_late(graph, id));
    }
    late
}

/// Those that a branch of the block's end changes behind an await, where the branches after it look
/// into them.
fn told_late(graph: &Graph, id: BlockId) -> Set<LocalId> {
    let block = &graph[id];
    let branches: Vec<BlockId> = match &block.end {
        Terminator::If { then, otherwise, .. } => vec![*then, *otherwise],
        Terminator::Match { arms, .. } | Terminator::Chosen { arms, .. } => {
            arms.iter().map(|(_, block)| *block).collect()
        }
        Terminator::LetElse { otherwise, next, .. } => vec![*otherwise, *next],
        _ => return Set::new(),
    };
    // By what they match, or in their guards, all branches look into it.
    let is_matched =
        |local: &LocalId| block.end_usage.mentions.contains(local) && !is_number(graph, *local);
    let (mut told, mut late) = (Set::new(), Set::new());
    for branch in branches {
        let blocks = blocks_of(graph, id, branch);
        let is_late = |local: &&LocalId| {
            is_matched(local) || blocks.iter().any(|block| is_looked_into(graph, block, **local))
        };
        if !told.is_empty() {
            late.extend(told.iter().filter(is_late).copied());
        }
        if blocks.iter().any(|block| matches!(block.kind, BlockKind::Resume(_))) {
            for usage in blocks.iter().flat_map(|block| block.all_usages()) {
                let may_be = usage.changes.iter().filter(|local| graph.locals[**local].mutable);
                let written = usage.writes.iter().map(|place| place.local);
                let changed = may_be.copied().chain(written);
                told.extend(changed.filter(|local| graph.locals[*local].untold.is_some()));
            }
        }
    }
    late
}

/// Whether the block does with the local what takes its type to be known.
fn is_looked_into(graph: &Graph, block: &Block, local: LocalId) -> bool {
    let ident = &graph.locals[local].ident;
    let mut nodes = block.nodes.iter().zip(&block.usages);
    if block.all_usages().all(|usage| !usage.mentions.contains(&local)) {
        return false;
    }
    if is_number(graph, local) {
        return is_asked_as_number(block, ident);
    }
    let is_asked = |(node, usage): (&Node, &Usage)| match node {
        Node::Code(stmt) => usage.mentions.contains(&local) && !is_only_told(stmt, ident),
        _ => usage.reads.iter().any(|place| place.local == local),
    };
    nodes.any(is_asked) || block.end_usage.mentions.contains(&local)
}

fn is_number(graph: &Graph, local: LocalId) -> bool {
    graph.locals[local].untold == Some(Untold::Number)
}

/// The blocks of a branch; of what follows a `let` with `else`, all.
fn blocks_of(graph: &Graph, owner: BlockId, branch: BlockId) -> Vec<&Block> {
    let (outer, scope) = (graph[owner].scope, graph[branch].scope);
    let is_in = |of: &BlockId| {
        *of >= branch && (scope == outer || graph.is_in_scope(graph[*of].scope, scope))
    };
    graph.block_ids().filter(is_in).map(|id| &graph[id]).collect()
}

/// Whether a statement gives a local a value, or an element, and does nothing else with it.
fn is_only_told(stmt: &Stmt, local: &Ident) -> bool {
    let Stmt::Expr(expr, _) = stmt else { return false };
    let (given_to, values) = match expr {
        Expr::Assign(expr) => (&expr.left, expr.right.to_token_stream()),
        Expr::MethodCall(call) if !call.args.is_empty() => {
            (&call.receiver, call.args.to_token_stream())
        }
        _ => return false,
    };
    matches!(&**given_to, Expr::Path(path) if path.path.is_ident(local))
        && !is_named(&values, local)
}

/// Whether a method of the local is called, or a field of it looked into.
fn has_method(tokens: TokenStream, local: &Ident) -> bool {
    let mut tokens = tokens.into_iter().peekable();
    while let Some(token) = tokens.next() {
        let is_found = match token {
            TokenTree::Group(group) => has_method(group.stream(), local),
            TokenTree::Ident(ident) if ident == *local => {
                matches!(tokens.peek(), Some(TokenTree::Punct(punct)) if punct.as_char() == '.')
            }
            _ => false,
        };
        if is_found {
            return true;
        }
    }
    false
}

/// As [`has_method`], of the code of a block. Most of it is gone through without making tokens of it.
fn is_asked_as_number(block: &Block, local: &Ident) -> bool {
    struct Search<'a> {
        local: &'a Ident,
        is_found: bool,
    }
    impl<'ast> Visit<'ast> for Search<'_> {
        fn visit_expr(&mut self, expr: &'ast Expr) {
            self.is_found |= match expr {
                Expr::MethodCall(call) => ends_in(&call.receiver, self.local),
                Expr::Field(expr) => ends_in(&expr.base, self.local),
                Expr::Await(expr) => ends_in(&expr.base, self.local),
                Expr::Range(expr) => has_method(expr.to_token_stream(), self.local),
                _ => false,
            };
            syn::visit::visit_expr(self, expr);
        }

        fn visit_macro(&mut self, mac: &'ast Macro) {
            self.is_found |= has_method(mac.tokens.clone(), self.local);
        }
    }
    let mut search = Search { local, is_found: false };
    block.visit(&mut search);
    search.is_found
}

/// Whether the last word of what is asked is the name.
fn ends_in(asked: &Expr, name: &Ident) -> bool {
    match asked {
        Expr::Path(path) => path.path.segments.last().is_some_and(|last| last.ident == *name),
        Expr::Field(expr) => matches!(&expr.member, Member::Named(field) if field == name),
        _ => false,
    }
}

fn is_named(tokens: &TokenStream, local: &Ident) -> bool {
    let mut is_found = false;
    scan_names(tokens, &mut |name| is_found |= local == name);
    is_found
}
