//! Code that diverges, as far as its syntax shows that.
//!
//! After such code, rustc accepts uses of uninitialized variables. Code that is not recognized here counts as
//! continuing.

use syn::visit::Visit;
use syn::{Block, Expr, Stmt};

use super::macros;

/// Whether a statement always jumps out.
pub(crate) fn always(stmt: &Stmt) -> bool {
    match stmt {
        Stmt::Local(local) => local.init.as_ref().is_some_and(|init| always_within(&init.expr)),
        Stmt::Expr(expr, _) => always_within(expr),
        Stmt::Item(_) | Stmt::Macro(_) => false,
    }
}

/// Whether an expression always jumps out.
pub(crate) fn always_within(expr: &Expr) -> bool {
    match expr {
        Expr::Return(_) | Expr::Break(_) | Expr::Continue(_) => true,
        Expr::Block(expr) if expr.label.is_none() => in_block(&expr.block),
        Expr::Paren(expr) => always_within(&expr.expr),
        Expr::Group(expr) => always_within(&expr.expr),
        Expr::Reference(expr) => always_within(&expr.expr),
        Expr::Unary(expr) => always_within(&expr.expr),
        Expr::Cast(expr) => always_within(&expr.expr),
        Expr::Field(expr) => always_within(&expr.base),
        Expr::Assign(expr) => always_within(&expr.right),
        Expr::Call(call) => call.args.iter().any(always_within),
        Expr::MethodCall(call) => {
            always_within(&call.receiver) || call.args.iter().any(always_within)
        }
        Expr::Tuple(expr) => expr.elems.iter().any(always_within),
        Expr::Array(expr) => expr.elems.iter().any(always_within),
        Expr::Struct(expr) => expr.fields.iter().any(|field| always_within(&field.expr)),
        Expr::If(expr) => {
            let otherwise = expr.else_branch.as_ref();
            always_within(&expr.cond)
                || (in_block(&expr.then_branch)
                    && otherwise.is_some_and(|(_, otherwise)| always_within(otherwise)))
        }
        Expr::Match(expr) => {
            always_within(&expr.expr)
                || (!expr.arms.is_empty() && expr.arms.iter().all(|arm| always_within(&arm.body)))
        }
        _ => false,
    }
}

/// Whether a block always jumps out.
pub(crate) fn in_block(block: &Block) -> bool {
    block.stmts.iter().any(always)
}

/// Whether the end of a statement may be unreachable: it jumps, or calls a function that may never return. Only free
/// functions and macros count.
pub(crate) fn may_never_end(stmt: &Stmt) -> bool {
    match stmt {
        Stmt::Expr(expr, _) => never_ends(expr),
        Stmt::Macro(_) => true,
        stmt => always(stmt),
    }
}

fn never_ends(expr: &Expr) -> bool {
    let last = |block: &Block| block.stmts.last().is_some_and(may_never_end) || in_block(block);
    match expr {
        Expr::Call(_) | Expr::Macro(_) => true,
        Expr::Block(expr) => expr.label.is_none() && last(&expr.block),
        Expr::Unsafe(expr) => last(&expr.block),
        Expr::Assign(expr) => never_ends(&expr.right),
        Expr::If(expr) => {
            let otherwise = expr.else_branch.as_ref();
            last(&expr.then_branch) && otherwise.is_some_and(|(_, expr)| never_ends(expr))
        }
        Expr::Match(expr) => expr.arms.iter().all(|arm| never_ends(&arm.body)),
        expr => always_within(expr),
    }
}

/// Whether macros of a statement that do not parse as expressions may contain jumps.
pub(crate) fn are_hidden(stmt: &Stmt) -> bool {
    struct Hidden(bool);
    impl Visit<'_> for Hidden {
        fn visit_macro(&mut self, mac: &syn::Macro) {
            let is_seen = macros::is_known(mac) && macros::parse(mac).is_some();
            self.0 |= !is_seen && macros::has_jump(mac.tokens.clone());
        }
    }
    let mut hidden = Hidden(false);
    hidden.visit_stmt(stmt);
    hidden.0
}
