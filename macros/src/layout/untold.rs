//! Locals that rustc is told the type of behind an await, in a branch, and looks into in the branches after
//! that: it reads the arms of the machine in another order than the source.

use std::collections::BTreeSet;

use proc_macro2::{TokenStream, TokenTree};
use quote::ToTokens;
use syn::{Expr, ExprCall, Ident, Lit, Pat, Stmt};

use super::scope_path;
use crate::ir::{Block, BlockId, BlockKind, Graph, LocalId, Locals, Node, Terminator};
use crate::macros::scan_names;
use crate::usage::{Usage, bound_locals};

/// Locals whose first value does not tell their type.
#[derive(Default)]
struct Untold {
    locals: BTreeSet<LocalId>,
    /// Those of them that are numbers, of which only methods take more to be known.
    numbers: BTreeSet<LocalId>,
}

/// Those of the graph.
pub(super) fn find(graph: &Graph) -> BTreeSet<LocalId> {
    let mut untold = Untold::default();
    for node in graph.blocks.iter().flat_map(|block| &block.nodes) {
        let Node::Code(Stmt::Local(local)) = node else { continue };
        let Some(init) = &local.init else { continue };
        match &local.pat {
            Pat::Type(pat) if has_gap(pat.ty.to_token_stream()) => {
                untold.note(&graph.locals, &pat.pat, &init.expr);
            }
            pat => untold.note(&graph.locals, pat, &init.expr),
        }
    }
    if untold.locals.is_empty() {
        return untold.locals;
    }
    graph.block_ids().flat_map(|id| untold.told_late(graph, id)).collect()
}

/// Whether a type leaves something to be inferred.
fn has_gap(ty: TokenStream) -> bool {
    ty.into_iter().any(|token| match token {
        TokenTree::Ident(ident) => ident == "_",
        TokenTree::Group(group) => has_gap(group.stream()),
        _ => false,
    })
}

/// Whether the value tells more of its type than what it is made with.
fn tells(value: &Expr) -> bool {
    match value {
        Expr::Path(path) => !path.path.is_ident("None"),
        Expr::Lit(literal) => match &literal.lit {
            Lit::Int(number) => !number.suffix().is_empty(),
            Lit::Float(number) => !number.suffix().is_empty(),
            _ => true,
        },
        Expr::Unary(value) => tells(&value.expr),
        Expr::Paren(value) => tells(&value.expr),
        Expr::Tuple(value) => value.elems.iter().all(tells),
        Expr::Array(value) => value.elems.first().is_some_and(tells),
        Expr::Repeat(value) => tells(&value.expr),
        Expr::Struct(value) => value.fields.iter().all(|field| tells(&field.expr)),
        Expr::Call(call) => tells_call(call),
        Expr::MethodCall(call) => match call.method.to_string().as_str() {
            "collect" | "default" | "into" | "parse" | "product" | "sum" | "try_into" => {
                call.turbofish.is_some()
            }
            "expect" | "unwrap" | "unwrap_or_default" => tells(&call.receiver),
            _ => true,
        },
        Expr::Try(value) => tells(&value.expr),
        Expr::Macro(call) => !call.mac.tokens.is_empty(),
        _ => true,
    }
}

fn tells_call(call: &ExprCall) -> bool {
    let Expr::Path(path) = &*call.func else { return true };
    let mut names = path.path.segments.iter().rev().map(|segment| segment.ident.to_string());
    match (names.next().as_deref(), names.next().as_deref()) {
        (_, Some("String")) => true,
        (Some("with_capacity"), _) => false,
        (Some("Some" | "Ok" | "Err" | "new" | "from"), _) => {
            !call.args.is_empty() && call.args.iter().all(tells)
        }
        _ => !call.args.is_empty(),
    }
}

fn is_number(value: &Expr) -> bool {
    match value {
        Expr::Lit(_) => true,
        Expr::Unary(value) => is_number(&value.expr),
        Expr::Paren(value) => is_number(&value.expr),
        _ => false,
    }
}

impl Untold {
    /// Notes what a pattern binds of a value that does not tell enough.
    fn note(&mut self, locals: &Locals, pat: &Pat, value: &Expr) {
        match (pat, value) {
            (Pat::Tuple(pat), Expr::Tuple(value)) if pat.elems.len() == value.elems.len() => {
                let parts = pat.elems.iter().zip(&value.elems);
                parts.for_each(|(pat, value)| self.note(locals, pat, value));
            }
            _ if !tells(value) => {
                let mut bound = bound_locals(locals, pat);
                bound.retain(|local| locals[*local].mutable);
                if is_number(value) {
                    self.numbers.extend(&bound);
                }
                self.locals.extend(bound);
            }
            _ => {}
        }
    }

    /// Those that a branch of the block's end changes behind an await, where the branches after it look
    /// into them.
    fn told_late(&self, graph: &Graph, id: BlockId) -> BTreeSet<LocalId> {
        let block = &graph[id];
        let branches: Vec<BlockId> = match &block.end {
            Terminator::If { then, otherwise, .. } => vec![*then, *otherwise],
            Terminator::Match { arms, .. } | Terminator::Chosen { arms, .. } => {
                arms.iter().map(|(_, block)| *block).collect()
            }
            Terminator::LetElse { otherwise, next, .. } => vec![*otherwise, *next],
            _ => return BTreeSet::new(),
        };
        // By what they match, or in their guards, all branches look into it.
        let is_matched = |local: &LocalId| {
            block.end_usage.mentions.contains(local) && !self.numbers.contains(local)
        };
        let (mut told, mut late) = (BTreeSet::new(), BTreeSet::new());
        for branch in branches {
            let blocks = blocks_of(graph, id, branch);
            let is_late = |local: &&LocalId| {
                is_matched(local)
                    || blocks.iter().any(|block| self.is_looked_into(graph, block, **local))
            };
            late.extend(told.iter().filter(is_late).copied());
            if blocks.iter().any(|block| matches!(block.kind, BlockKind::Resume(_))) {
                let usages = blocks.iter().flat_map(|block| block.all_usages());
                told.extend(usages.flat_map(|usage| usage.changes.intersection(&self.locals)));
            }
        }
        late
    }

    /// Whether the block does with the local what takes its type to be known.
    fn is_looked_into(&self, graph: &Graph, block: &Block, local: LocalId) -> bool {
        let ident = &graph.locals[local].ident;
        let mut nodes = block.nodes.iter().zip(&block.usages);
        if self.numbers.contains(&local) {
            let code = nodes.filter_map(|(node, _)| match node {
                Node::Code(stmt) => Some(stmt.to_token_stream()),
                Node::Define { value, .. } => Some(value.to_token_stream()),
                _ => None,
            });
            let end = match &block.end {
                Terminator::If { cond: value, .. }
                | Terminator::Match { scrutinee: value, .. }
                | Terminator::Await { future: value, .. }
                | Terminator::Return(value) => Some(value.to_token_stream()),
                Terminator::LetElse { local, .. } => Some(local.to_token_stream()),
                _ => None,
            };
            return code.chain(end).any(|code| has_method(code, ident));
        }
        let is_asked = |(node, usage): (&Node, &Usage)| match node {
            Node::Code(stmt) => usage.mentions.contains(&local) && !is_only_told(stmt, ident),
            _ => usage.reads.iter().any(|place| place.local == local),
        };
        nodes.any(is_asked) || block.end_usage.mentions.contains(&local)
    }
}

/// The blocks of a branch; of what follows a `let` with `else`, all.
fn blocks_of(graph: &Graph, owner: BlockId, branch: BlockId) -> Vec<&Block> {
    let (outer, scope) = (graph[owner].scope, graph[branch].scope);
    let is_in = |of: &BlockId| {
        *of >= branch && (scope == outer || scope_path(graph, graph[*of].scope).contains(&scope))
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

fn is_named(tokens: &TokenStream, local: &Ident) -> bool {
    let mut is_found = false;
    scan_names(tokens, &mut |name| is_found |= local == name);
    is_found
}
