//! Borrows that a region returns or assigns to outer locals.

use syn::visit::{self, Visit};
use syn::{Block, Expr, ExprAssign, ExprClosure, ExprReturn};

use crate::ir::locals::local_of;
use crate::ir::usage;
use crate::ir::{Graph, LocalId, Locals, Node, RegionId, Terminator};
use crate::syntax::calls::is_constructor;
use crate::syntax::methods::returns_part;

/// Whether the value of the region, or a value that it assigns to an outer local, borrows from the local, as far as the
/// source shows.
pub(super) fn lends(graph: &Graph, region: RegionId, local: LocalId) -> bool {
    let mut returned = Returned { locals: &graph.locals, local, lends: false };
    for block in graph.blocks.iter().filter(|block| block.region == Some(region)) {
        for node in &block.nodes {
            match node {
                Node::Code(stmt) => returned.visit_stmt(stmt),
                Node::Define { value, .. } => returned.visit_expr(value),
                Node::Declare(_) | Node::Enter(_) | Node::Leave => {}
            }
        }
        if let Terminator::Return(value) = &block.end {
            returned.give(value);
        }
    }
    returned.lends
}

struct Returned<'a> {
    locals: &'a Locals,
    local: LocalId,
    lends: bool,
}

impl Returned<'_> {
    fn give(&mut self, value: &Expr) {
        match value {
            Expr::Reference(expr) => self.give_borrow(&expr.expr),
            Expr::MethodCall(call) if returns_part(call) => self.give_borrow(&call.receiver),
            // The result may be a part of a borrow in the receiver.
            Expr::MethodCall(call) => self.give(&call.receiver),
            Expr::Call(call) if is_constructor(&call.func) => {
                call.args.iter().for_each(|part| self.give(part));
            }
            Expr::Tuple(expr) => expr.elems.iter().for_each(|part| self.give(part)),
            Expr::Paren(expr) => self.give(&expr.expr),
            Expr::Try(expr) => self.give(&expr.expr),
            Expr::If(expr) => {
                self.give_last(&expr.then_branch);
                if let Some((_, otherwise)) = &expr.else_branch {
                    self.give(otherwise);
                }
            }
            Expr::Match(expr) => expr.arms.iter().for_each(|arm| self.give(&arm.body)),
            Expr::Block(expr) => self.give_last(&expr.block),
            Expr::Path(_) | Expr::Field(_) => {
                let local = local_of(self.locals, value);
                let is_borrow = |local: &LocalId| self.locals[*local].is_rematerialized();
                self.lends |= local.filter(is_borrow).is_some_and(|local| self.is_of(local));
            }
            _ => {}
        }
    }

    fn give_last(&mut self, block: &Block) {
        if let Some(syn::Stmt::Expr(value, None)) = block.stmts.last() {
            self.give(value);
        }
    }

    fn give_borrow(&mut self, of: &Expr) {
        match of {
            Expr::Index(expr) => self.give_borrow(&expr.expr),
            Expr::MethodCall(_) => self.give(of),
            place => {
                self.lends |= local_of(self.locals, place).is_some_and(|local| self.is_of(local));
            }
        }
    }

    /// Whether the local is the one in question, or is rematerialized from it.
    fn is_of(&self, local: LocalId) -> bool {
        usage::sources_of(self.locals, local).contains(&self.local)
    }
}

impl<'ast> Visit<'ast> for Returned<'_> {
    fn visit_expr_return(&mut self, expr: &'ast ExprReturn) {
        if let Some(value) = &expr.expr {
            self.give(value);
        }
        visit::visit_expr_return(self, expr);
    }

    fn visit_expr_assign(&mut self, expr: &'ast ExprAssign) {
        self.give(&expr.right);
        visit::visit_expr_assign(self, expr);
    }

    /// A `return` in a closure returns from the closure.
    fn visit_expr_closure(&mut self, _: &'ast ExprClosure) {}
}
