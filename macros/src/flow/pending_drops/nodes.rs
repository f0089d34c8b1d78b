//! What a node does with values that are held.

use syn::visit_mut::VisitMut;
use syn::{Expr, Stmt};

use super::looks::Looks;
use crate::collections::sets::Set;
use crate::ir::locals::local_of;
use crate::ir::usage::{Place, Usage};
use crate::ir::{Graph, LocalId, Locals, Node};

/// The locals that a node gives a value.
pub(super) fn made(
    graph: &Graph,
    node: &Node,
    usage: &Usage,
    seen: &Usage,
) -> impl Iterator<Item = LocalId> {
    let made = match node {
        Node::Code(Stmt::Local(local)) if local.init.is_some() => usage.binds.clone(),
        Node::Code(Stmt::Expr(Expr::Assign(expr), _)) => {
            let whole = Some(&*expr.left).filter(|left| matches!(left, Expr::Path(_)));
            whole.and_then(|left| local_of(&graph.locals, left)).into_iter().collect()
        }
        Node::Define { local, .. } => vec![*local],
        Node::Code(_) => {
            let assigned = &usage.assigned & &usage.replaces;
            assigned.difference(&seen.mentions).copied().collect()
        }
        _ => Vec::new(),
    };
    made.into_iter()
}

/// What a node does with the locals, but for what only looks at them: it may have moved or borrowed what
/// this mentions.
pub(super) fn without_looks(locals: &Locals, node: &Node, usage: &Usage) -> Usage {
    if usage.mentions.is_empty() {
        return Usage::default();
    }
    match node {
        Node::Code(stmt) => {
            let mut stmt = stmt.clone();
            if let Stmt::Expr(_, semi) = &mut stmt {
                // Its value is not wanted.
                semi.get_or_insert_default();
            }
            Looks(locals).visit_stmt_mut(&mut stmt);
            Usage::of_stmt(locals, &stmt)
        }
        Node::Define { value, .. } => value_without_looks(locals, value),
        _ => Usage::default(),
    }
}

/// What a statement names and has not moved, because it is used later, and what nothing borrows from,
/// because the statement leaves nothing behind. A part of it may have been moved that is `filled` before.
pub(super) fn kept<'a>(
    node: &Node,
    seen: &'a Usage,
    live: &'a Set<Place>,
    filled: &'a Set<Place>,
) -> impl Iterator<Item = LocalId> + 'a {
    let is_statement = matches!(node, Node::Code(Stmt::Expr(..)));
    let is_filled = |part: &&Place| filled.iter().any(|filled| filled.overlaps(part));
    let emptied: Set<LocalId> =
        seen.moves.iter().filter(is_filled).map(|part| part.local).collect();
    seen.mentions.iter().copied().filter(move |local| {
        is_statement
            && live.contains(&Place::whole(*local))
            && !emptied.contains(local)
            && seen.changes.iter().all(|changed| changed == local)
    })
}

/// What closures that are made again, and are among the locals that code names, may give away of what they have
/// taken over.
pub(super) fn given_by(locals: &Locals, named: &Set<LocalId>) -> Set<LocalId> {
    let made = named.iter().filter_map(|local| locals[*local].remade.as_ref());
    let closures = made.filter(|made| matches!(made, Expr::Closure(_)));
    let spent = closures.flat_map(|closure| Usage::of_expr(locals, closure).spends);
    spent.map(|place| place.local).collect()
}

/// What a value names, but for what only looks at it.
pub(super) fn value_without_looks(locals: &Locals, value: &Expr) -> Usage {
    let mut value = value.clone();
    Looks(locals).visit_expr_mut(&mut value);
    Usage::of_expr(locals, &value)
}
