//! Properties that the form of an expression shows.

use syn::{Block, Expr, Stmt as Source, UnOp};

use super::macros;
use super::macros::Piece;
use super::methods::{Fact, gives_own, is};
use super::operators::is_sign;

/// The expression without enclosing parentheses.
pub(crate) fn without_parens(expr: Expr) -> Expr {
    match expr {
        Expr::Paren(paren) if paren.attrs.is_empty() => without_parens(*paren.expr),
        expr => expr,
    }
}

/// Whether the expression calls a lookup that in the standard library returns an `Option`.
pub(crate) fn gives_option(value: &Expr) -> bool {
    match value {
        Expr::Paren(expr) => gives_option(&expr.expr),
        Expr::MethodCall(call) => is(call, Fact::Part) && !is(call, Fact::Infallible),
        _ => false,
    }
}

/// Whether the expression creates a value that borrows from no temporary.
pub(crate) fn is_new_value(expr: &Expr) -> bool {
    match expr {
        Expr::Paren(expr) => is_new_value(&expr.expr),
        Expr::Call(expr) => expr.args.iter().all(is_own),
        Expr::Tuple(expr) => expr.elems.iter().all(is_own),
        Expr::Array(expr) => expr.elems.iter().all(is_own),
        Expr::Struct(expr) => expr.rest.is_none() && expr.fields.iter().all(|it| is_own(&it.expr)),
        Expr::MethodCall(call) => gives_own(call) && is_own(&call.receiver),
        // Temporaries in the block have ended.
        Expr::Block(expr) => expr.label.is_none(),
        Expr::Macro(call) => match macros::name(&call.mac).as_str() {
            "format" => true,
            "vec" => macros::parse(&call.mac).is_some_and(|pieces| {
                pieces.iter().all(|piece| match piece {
                    Piece::Expr(expr, _) => is_own(expr),
                    Piece::Tokens(_) => true,
                })
            }),
            _ => false,
        },
        _ => false,
    }
}

/// Whether the expression is a path or creates a value.
pub(crate) fn is_own(expr: &Expr) -> bool {
    match expr {
        Expr::Lit(_) | Expr::Path(_) => true,
        Expr::Paren(expr) => is_own(&expr.expr),
        expr => is_new_value(expr),
    }
}

/// Whether the expression is a literal, perhaps with a sign.
pub(crate) fn is_plain_literal(expr: &Expr) -> bool {
    match expr {
        Expr::Lit(_) => true,
        Expr::Paren(expr) => is_plain_literal(&expr.expr),
        Expr::Group(expr) => is_plain_literal(&expr.expr),
        Expr::Unary(expr) => is_sign(expr.op) && is_plain_literal(&expr.expr),
        _ => false,
    }
}

/// Whether the place has an index.
pub(crate) fn has_index(place: &Expr) -> bool {
    match place {
        Expr::Index(_) => true,
        Expr::Field(expr) => has_index(&expr.base),
        Expr::Paren(expr) => has_index(&expr.expr),
        Expr::Unary(expr) => matches!(expr.op, UnOp::Deref(_)) && has_index(&expr.expr),
        _ => false,
    }
}

/// Whether the initializer of a `let` extends the lifetime of its temporaries.
pub(crate) fn extends_temporaries(value: &Expr) -> bool {
    match value {
        Expr::Reference(_) => true,
        Expr::Paren(expr) => extends_temporaries(&expr.expr),
        Expr::Cast(expr) => extends_temporaries(&expr.expr),
        Expr::Tuple(expr) => expr.elems.iter().any(extends_temporaries),
        Expr::Array(expr) => expr.elems.iter().any(extends_temporaries),
        Expr::Struct(expr) => expr.fields.iter().any(|field| extends_temporaries(&field.expr)),
        _ => false,
    }
}

/// Whether the expression is a slice or `str`, which is unsized.
pub(crate) fn is_slice(expr: &Expr) -> bool {
    match expr {
        Expr::Paren(expr) => is_slice(&expr.expr),
        Expr::Index(expr) => matches!(*expr.index, Expr::Range(_)),
        _ => false,
    }
}

/// Whether the expression is a statement without a semicolon.
pub(crate) fn is_block_like(expr: &Expr) -> bool {
    let is_unit = |block: &Block| match block.stmts.last() {
        Some(Source::Expr(expr, None)) => is_block_like(expr),
        Some(Source::Macro(call)) => call.semi_token.is_some(),
        _ => true,
    };
    match expr {
        Expr::Block(expr) => is_unit(&expr.block),
        Expr::Unsafe(expr) => is_unit(&expr.block),
        Expr::If(expr) => {
            let otherwise = expr.else_branch.as_ref();
            is_unit(&expr.then_branch)
                && otherwise.is_none_or(|(_, otherwise)| is_block_like(otherwise))
        }
        Expr::Match(expr) => expr
            .arms
            .iter()
            .all(|arm| matches!(&*arm.body, Expr::Tuple(_)) || is_block_like(&arm.body)),
        Expr::While(_) | Expr::ForLoop(_) => true,
        _ => false,
    }
}

/// Whether the expression is a range of integers, as far as its syntax shows.
pub(crate) fn is_range(expr: &Expr) -> bool {
    match expr {
        Expr::Range(range) => range.start.is_some(),
        Expr::Paren(paren) => is_range(&paren.expr),
        Expr::Group(group) => is_range(&group.expr),
        _ => false,
    }
}

/// Whether the expression creates a value.
pub(crate) fn is_made(expr: &Expr) -> bool {
    match expr {
        Expr::Paren(paren) => is_made(&paren.expr),
        Expr::Array(_)
        | Expr::Block(_)
        | Expr::Call(_)
        | Expr::Macro(_)
        | Expr::Struct(_)
        | Expr::Tuple(_) => true,
        _ => false,
    }
}
