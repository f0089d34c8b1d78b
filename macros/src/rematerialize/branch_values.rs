//! The expressions that may be the value of another one: the ends of its branches, and the operands of its
//! `break`s.

use syn::visit::{self, Visit};
use syn::visit_mut::{self, VisitMut};
use syn::{Block, Expr, Label, Macro, Pat, Stmt};

use crate::syntax::conditions::chain;
use crate::syntax::results::{is_left_by, leaves};
use crate::syntax::{macros, results};

/// What is matched around a branch, innermost last: a pattern, and the value that it has matched.
pub(crate) type Around = Vec<(Pat, Expr)>;

/// Whether jumps give the value.
pub(crate) fn is_left_with_value(value: &Expr) -> bool {
    match value {
        Expr::Loop(_) => true,
        Expr::Block(expr) => expr.label.is_some(),
        _ => false,
    }
}

/// Visits what each branch gives that gives something. `None` if `visit` gives that up, or there is one
/// that gives nothing.
pub(crate) fn each_branch(
    value: &mut Expr,
    around: &mut Around,
    visit: &mut impl FnMut(&mut Expr, &Around) -> Option<()>,
) -> Option<()> {
    match value {
        Expr::If(expr) => {
            let depth = around.len();
            around.extend(lets(&expr.cond));
            each_end(&mut expr.then_branch, around, visit)?;
            around.truncate(depth);
            each_branch(&mut expr.else_branch.as_mut()?.1, around, visit)
        }
        Expr::Match(expr) => {
            for arm in &mut expr.arms {
                around.push((arm.pat.clone(), (*expr.expr).clone()));
                each_branch(&mut arm.body, around, visit)?;
                around.pop();
            }
            Some(())
        }
        Expr::Loop(expr) => each_break(&mut expr.body, expr.label.as_ref(), true, around, visit),
        Expr::Block(expr) => {
            if let Some(label) = &expr.label {
                each_break(&mut expr.block, Some(label), false, around, visit)?;
            }
            each_end(&mut expr.block, around, visit)
        }
        value if leaves(value) => Some(()),
        value => visit(value, around),
    }
}

fn each_end(
    block: &mut Block,
    around: &mut Around,
    visit: &mut impl FnMut(&mut Expr, &Around) -> Option<()>,
) -> Option<()> {
    let depth = around.len();
    // What the block declares is gone when it is made again, whatever that was.
    around.extend(block.stmts.iter().filter_map(|stmt| match stmt {
        Stmt::Local(local) => Some((local.pat.clone(), Expr::PLACEHOLDER)),
        _ => None,
    }));
    match block.stmts.last_mut()? {
        Stmt::Expr(value, None) => {
            each_branch(value, around, visit)?;
            around.truncate(depth);
            Some(())
        }
        Stmt::Expr(value, Some(_)) => leaves(value).then_some(()),
        Stmt::Macro(call) => is_left_by(&call.mac).then_some(()),
        _ => None,
    }
}

/// Visits the values with which a loop or labeled block is left.
fn each_break(
    body: &mut Block,
    label: Option<&Label>,
    is_innermost: bool,
    around: &mut Around,
    visit: &mut impl FnMut(&mut Expr, &Around) -> Option<()>,
) -> Option<()> {
    let depth = around.len();
    // What is bound in it is gone when what it gives is made again.
    let mut bound = Bound(Vec::new());
    bound.visit_block(body);
    around.extend(bound.0.into_iter().map(|pat| (pat, Expr::PLACEHOLDER)));
    let label = label.map(|label| label.name.clone());
    let mut breaks = Breaks { label, is_innermost, around, visit, found: Some(()) };
    breaks.visit_block_mut(body);
    let found = breaks.found;
    around.truncate(depth);
    found
}

/// All patterns of a body.
struct Bound(Vec<Pat>);

impl Visit<'_> for Bound {
    fn visit_pat(&mut self, pat: &Pat) {
        self.0.push(pat.clone());
    }

    fn visit_expr(&mut self, expr: &Expr) {
        if !matches!(expr, Expr::Closure(_) | Expr::Async(_)) {
            visit::visit_expr(self, expr);
        }
    }

    fn visit_item(&mut self, _: &syn::Item) {}
}

struct Breaks<'a, F> {
    label: Option<syn::Lifetime>,
    /// Whether a `break` without a label leaves it.
    is_innermost: bool,
    around: &'a mut Around,
    visit: &'a mut F,
    found: Option<()>,
}

impl<F: FnMut(&mut Expr, &Around) -> Option<()>> Breaks<'_, F> {
    fn within_loop(&mut self, body: &mut Block) {
        let outer = std::mem::take(&mut self.is_innermost);
        self.visit_block_mut(body);
        self.is_innermost = outer;
    }
}

impl<F: FnMut(&mut Expr, &Around) -> Option<()>> VisitMut for Breaks<'_, F> {
    fn visit_expr_mut(&mut self, expr: &mut Expr) {
        match expr {
            Expr::Closure(_) | Expr::Async(_) => {}
            Expr::Break(expr) => {
                let is_own = match (&expr.label, &self.label) {
                    (Some(label), Some(own)) => label.ident == own.ident,
                    (Some(_), None) => false,
                    (None, _) => self.is_innermost,
                };
                match &mut expr.expr {
                    Some(value) if is_own => {
                        // A jump in a value would be looked at twice.
                        let given = match may_jump(value) {
                            true => None,
                            false => each_branch(value, self.around, self.visit),
                        };
                        self.found = self.found.and(given);
                    }
                    None if is_own => self.found = None,
                    value => value.iter_mut().for_each(|value| self.visit_expr_mut(value)),
                }
            }
            Expr::Loop(expr) => self.within_loop(&mut expr.body),
            Expr::While(expr) => {
                self.visit_expr_mut(&mut expr.cond);
                self.within_loop(&mut expr.body);
            }
            Expr::ForLoop(expr) => {
                self.visit_expr_mut(&mut expr.expr);
                self.within_loop(&mut expr.body);
            }
            expr => visit_mut::visit_expr_mut(self, expr),
        }
    }

    fn visit_macro_mut(&mut self, mac: &mut Macro) {
        // A jump in one of them cannot be told from others.
        if !macros::is_literal(mac) && macros::has_jump(mac.tokens.clone()) {
            self.found = None;
        }
    }

    fn visit_item_mut(&mut self, _: &mut syn::Item) {}
}

/// Whether a jump is in the expression.
fn may_jump(expr: &Expr) -> bool {
    struct Jumps(bool);
    impl Visit<'_> for Jumps {
        fn visit_expr(&mut self, expr: &Expr) {
            self.0 |= results::is_jump(expr);
            visit::visit_expr(self, expr);
        }
        fn visit_macro(&mut self, mac: &Macro) {
            self.0 |= macros::has_jump(mac.tokens.clone());
        }
    }
    let mut jumps = Jumps(false);
    jumps.visit_expr(expr);
    jumps.0
}

/// The patterns of a condition, and what they match.
fn lets(cond: &Expr) -> impl Iterator<Item = (Pat, Expr)> {
    chain(cond).into_iter().filter_map(|operand| match operand {
        Expr::Let(cond) => Some(((*cond.pat).clone(), (*cond.expr).clone())),
        _ => None,
    })
}
