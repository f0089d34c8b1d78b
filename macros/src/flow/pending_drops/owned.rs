//! What the source shows of the value of a local: whether it may hold a borrow of another local, and
//! whether it is one that nobody sees the drop of.

use std::collections::HashMap;

use syn::spanned::Spanned;
use syn::{BinOp, Expr, Pat, Stmt};

use super::values::{Borrowing, Bound, Values};
use crate::collections::sets::Set;
use crate::ir::locals::local_of;
use crate::ir::usage::bound_locals;
use crate::ir::{Block, Branch, Choice, Graph, LocalId, Node, PointId, RegionId, Terminator};
use crate::syntax::names::is_any_of;
use crate::syntax::operators::{is_comparison, is_lazy};
use crate::syntax::patterns::has_ref;
use crate::syntax::source;

/// The locals and branches whose value may hold a borrow of another local.
pub(super) fn borrowing(graph: &Graph) -> Borrowing {
    let locals = &graph.locals;
    let remade = locals.ids().filter(|id| locals[*id].remade.is_some()).collect();
    let mut borrowing = Borrowing { locals: remade, regions: Set::new() };
    // Which arms of each `select!` are branches.
    let arms = graph.blocks.iter().filter_map(|block| match &block.end {
        Terminator::Select { point, arms, .. } => {
            Some((*point, arms.iter().map(|arm| arm.future.region()).collect()))
        }
        _ => None,
    });
    let chosen: HashMap<PointId, Vec<Option<RegionId>>> = arms.collect();
    loop {
        let count = (borrowing.locals.len(), borrowing.regions.len());
        for block in &graph.blocks {
            for node in &block.nodes {
                mark(graph, block.region, node, &mut borrowing);
            }
            mark_end(graph, &chosen, block, &mut borrowing);
        }
        if (borrowing.locals.len(), borrowing.regions.len()) == count {
            return borrowing;
        }
    }
}

fn mark(graph: &Graph, region: Option<RegionId>, node: &Node, borrowing: &mut Borrowing) {
    let mut values = Values::new(graph, borrowing, region);
    match node {
        Node::Code(Stmt::Local(local)) => {
            let Some(init) = &local.init else { return };
            let bound = values.bound_for_long(&init.expr);
            if let Some((_, diverge)) = &init.diverge {
                values.run(diverge);
            }
            bind(graph, &mut borrowing.locals, &local.pat, &bound);
            // A borrow has no destructor, and what it is of may be there for this root alone.
            if matches!(*init.expr, Expr::Reference(_)) {
                borrowing.locals.extend(bound_locals(&graph.locals, &local.pat));
            }
        }
        Node::Define { local, value } => {
            if !values.bound_for_long(value).owned {
                borrowing.locals.insert(*local);
            }
        }
        Node::Code(Stmt::Expr(Expr::Assign(expr), _))
            if let Some(left) = local_of(&graph.locals, &expr.left) =>
        {
            if !values.bound_for_long(&expr.right).owned {
                borrowing.locals.insert(left);
            }
        }
        Node::Code(stmt) => values.stmt(stmt),
        Node::Declare(_) | Node::Enter(_) | Node::Leave => {}
    }
}

fn mark_end(
    graph: &Graph,
    chosen: &HashMap<PointId, Vec<Option<RegionId>>>,
    block: &Block,
    borrowing: &mut Borrowing,
) {
    let mut values = Values::new(graph, borrowing, block.region);
    let mut bound: Vec<(&Pat, Bound)> = Vec::new();
    match &block.end {
        Terminator::If { cond, .. } => {
            values.cond(cond, &mut |_, pat, value| bound.push((pat, value.clone())));
        }
        Terminator::Match { scrutinee, arms, .. } => {
            let matched = values.bound(scrutinee);
            for (pat, _) in arms {
                if let Pat::Guard(pat) = pat {
                    values.run(&pat.guard);
                }
                bound.push((pat, matched.clone()));
            }
        }
        Terminator::LetElse { local, .. } => {
            if let Some(init) = &local.init {
                bound.push((&local.pat, values.bound(&init.expr)));
            }
        }
        Terminator::Return(value) => {
            let owned = values.bound_for_long(value).owned;
            values.give_back(owned);
        }
        Terminator::Await { future, pat, .. } => {
            values.run(future);
            bound.push((pat, Bound::owned()));
        }
        Terminator::Select { arms, .. } => {
            for Choice { cond, future, .. } in arms {
                cond.iter().chain(future.operation()).for_each(|expr| values.run(expr));
            }
        }
        Terminator::Join { branches, pat, .. } => {
            branches.iter().filter_map(Branch::operation).for_each(|expr| values.run(expr));
            let owned = branches.iter().all(|branch| values.is_own(branch.region()));
            bound.push((pat, Bound { owned, ..Bound::default() }));
        }
        Terminator::Chosen { point, arms, .. } => {
            let given = chosen[point].iter().map(|region| values.is_own(*region));
            let given = given.map(|owned| Bound { owned, ..Bound::default() });
            bound.extend(arms.iter().map(|(pat, _)| pat).zip(given));
        }
        Terminator::Goto(_) | Terminator::Unreachable => {}
    }
    for (pat, value) in bound {
        bind(graph, &mut borrowing.locals, pat, &value);
    }
}

fn bind(graph: &Graph, borrowing: &mut Set<LocalId>, pat: &Pat, value: &Bound) {
    if !value.owned || has_ref(pat) {
        let locals = bound_locals(&graph.locals, pat);
        // What is made again is known to be a borrow, and of what.
        if locals.iter().any(|local| graph.locals[*local].remade.is_none()) {
            borrowing.extend(&value.lenders);
        }
        borrowing.extend(locals);
    }
}

/// The locals that are numbers, truth values or texts, of which nobody sees the drop.
pub(super) fn plain(graph: &Graph) -> Set<LocalId> {
    let typed = |id: &LocalId| graph.locals[*id].ty.as_ref().is_some_and(is_plain_type);
    let lent = |id: &LocalId| graph.locals[*id].kind.may_borrow();
    let mut plain: Set<LocalId> = graph.locals.ids().filter(|id| typed(id) || lent(id)).collect();
    for block in &graph.blocks {
        for (node, usage) in block.nodes.iter().zip(&block.usages) {
            match node {
                Node::Code(Stmt::Local(local))
                    if local.init.as_ref().is_some_and(|init| is_plain(&init.expr)) =>
                {
                    plain.extend(&usage.binds);
                }
                Node::Define { local, value } if is_plain(value) => {
                    plain.insert(*local);
                }
                _ => {}
            }
        }
    }
    plain
}

fn is_plain(expr: &Expr) -> bool {
    match expr {
        Expr::Lit(_) | Expr::Cast(_) => true,
        Expr::Binary(expr) => {
            is_comparison(&expr.op)
                || is_lazy(&expr.op)
                || (is_plain(&expr.left) || is_plain(&expr.right)) && !is_own_operator(&expr.op)
        }
        Expr::Unary(expr) => is_plain(&expr.expr),
        Expr::Paren(expr) => is_plain(&expr.expr),
        Expr::MethodCall(call) => call.method == "len" || call.method == "is_empty",
        _ => false,
    }
}

/// Whether the file says what the operator does to values of a type of its own: `price * 2`.
fn is_own_operator(op: &BinOp) -> bool {
    let method = match op {
        BinOp::Add(_) => "add",
        BinOp::Sub(_) => "sub",
        BinOp::Mul(_) => "mul",
        BinOp::Div(_) => "div",
        BinOp::Rem(_) => "rem",
        BinOp::BitXor(_) => "bitxor",
        BinOp::BitAnd(_) => "bitand",
        BinOp::BitOr(_) => "bitor",
        BinOp::Shl(_) => "shl",
        BinOp::Shr(_) => "shr",
        _ => return false,
    };
    source::takes_self(method, op.span())
}

fn is_plain_type(ty: &syn::Type) -> bool {
    const PLAIN: [&str; 15] = [
        "bool", "char", "f32", "f64", "i128", "i16", "i32", "i64", "i8", "isize", "u16", "u32",
        "u64", "u8", "usize",
    ];
    match ty {
        syn::Type::Path(path) => path.path.get_ident().is_some_and(|name| is_any_of(name, &PLAIN)),
        syn::Type::Reference(_) => true,
        _ => false,
    }
}
