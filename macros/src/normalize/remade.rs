//! Locals that are made again after a suspension instead of being saved: borrows of other locals,
//! string literals, constants, and closures that capture nothing else.

use syn::{Expr, Lit, Member, Pat, UnOp};

use super::{Lower, split_type};
use crate::macros;
use crate::usage::{Place, Usage};

/// Whether there is a string literal among the elements.
fn has_text(expr: &Expr) -> bool {
    match expr {
        Expr::Lit(literal) => matches!(literal.lit, Lit::Str(_) | Lit::ByteStr(_)),
        Expr::Array(expr) => expr.elems.iter().any(has_text),
        Expr::Tuple(expr) => expr.elems.iter().any(has_text),
        Expr::Reference(_) => true,
        Expr::Paren(expr) => has_text(&expr.expr),
        _ => false,
    }
}

impl Lower<'_> {
    /// How the local that the statement declares is made again, if it can be.
    pub(super) fn remade(&self, local: &syn::Local) -> Option<Expr> {
        let (Pat::Ident(pat), _) = split_type(&local.pat) else { return None };
        // Something else may be assigned to a `mut` binding.
        if pat.by_ref.is_some() || pat.subpat.is_some() || pat.mutability.is_some() {
            return None;
        }
        let init = local.init.as_ref().filter(|init| init.diverge.is_none())?;
        self.is_remade(&init.expr).then(|| (*init.expr).clone())
    }

    fn is_remade(&self, expr: &Expr) -> bool {
        match expr {
            Expr::Lit(literal) => {
                matches!(literal.lit, Lit::Str(_) | Lit::ByteStr(_) | Lit::CStr(_))
            }
            Expr::Path(_) => self.is_constant_path(expr) || self.is_remade_local(expr),
            Expr::Reference(expr) if expr.mutability.is_some() => self.is_place(&expr.expr),
            Expr::Reference(expr) => self.is_constant(&expr.expr) || self.is_place(&expr.expr),
            // Those of other values are saved.
            Expr::Array(_) | Expr::Tuple(_) => has_text(expr) && self.is_constant(expr),
            Expr::Macro(call) => {
                matches!(macros::name(&call.mac).as_str(), "concat" | "stringify")
            }
            Expr::Closure(closure) => {
                let usage = Usage::of_expr(&self.locals, expr);
                let is_shared = |place: &Place| self.locals[place.local].remade.is_some();
                closure.asyncness.is_none() && usage.reads.iter().all(is_shared)
            }
            Expr::Paren(expr) => self.is_remade(&expr.expr),
            _ => false,
        }
    }

    /// Whether the expression gives the same wherever it stands: a constant that rustc would promote.
    fn is_constant(&self, expr: &Expr) -> bool {
        match expr {
            Expr::Lit(_) => true,
            Expr::Path(_) => self.is_constant_path(expr),
            Expr::Array(expr) => expr.elems.iter().all(|elem| self.is_constant(elem)),
            Expr::Tuple(expr) => expr.elems.iter().all(|elem| self.is_constant(elem)),
            Expr::Repeat(expr) => self.is_constant(&expr.expr) && self.is_constant(&expr.len),
            Expr::Reference(expr) => expr.mutability.is_none() && self.is_constant(&expr.expr),
            Expr::Unary(expr) => {
                matches!(expr.op, UnOp::Neg(_) | UnOp::Not(_)) && self.is_constant(&expr.expr)
            }
            Expr::Paren(expr) => self.is_constant(&expr.expr),
            _ => false,
        }
    }

    fn is_remade_local(&self, expr: &Expr) -> bool {
        let Expr::Path(path) = expr else { return false };
        let local = path.path.get_ident().and_then(|ident| self.locals.find(ident));
        local.is_some_and(|local| self.locals[local].remade.is_some())
    }

    /// Whether the path is a constant, as far as its spelling shows.
    pub(super) fn is_constant_path(&self, expr: &Expr) -> bool {
        let Expr::Path(path) = expr else { return false };
        path.path.segments.last().is_some_and(|segment| {
            let name = segment.ident.to_string();
            segment.arguments.is_none()
                && name.starts_with(|c: char| c.is_uppercase())
                && name.chars().all(|c| c.is_uppercase() || c.is_numeric() || c == '_')
        })
    }

    /// Whether the expression is a local or a part of one that is always the same part.
    pub(super) fn is_place(&self, expr: &Expr) -> bool {
        match expr {
            Expr::Path(path) => {
                path.path.get_ident().is_some_and(|ident| self.locals.find(ident).is_some())
                    || self.is_constant_path(expr)
            }
            Expr::Field(expr) => {
                matches!(expr.member, Member::Named(_) | Member::Unnamed(_))
                    && self.is_place(&expr.base)
            }
            Expr::Index(expr) => self.is_fixed_index(&expr.index) && self.is_place(&expr.expr),
            Expr::Unary(expr) => matches!(expr.op, UnOp::Deref(_)) && self.is_place(&expr.expr),
            Expr::Paren(expr) => self.is_place(&expr.expr),
            _ => false,
        }
    }

    /// Whether the index is always the same: a literal, a constant, or a range of such.
    fn is_fixed_index(&self, index: &Expr) -> bool {
        match index {
            Expr::Lit(_) => true,
            Expr::Path(_) => self.is_constant_path(index),
            Expr::Range(range) => {
                let mut ends = range.start.iter().chain(&range.end);
                ends.all(|end| self.is_fixed_index(end))
            }
            _ => false,
        }
    }
}
