//! The tail expressions of branches: one of them is the value of the whole expression.

use syn::{Block, Expr, Pat, Stmt};

use crate::syntax::conditions::chain;
use crate::syntax::results::{ends, is_left_by, leaves};

/// The enclosing patterns of a branch with their scrutinees, innermost last.
pub(crate) type Around = Vec<(Pat, Expr)>;

/// Visits the value of each branch that does not diverge. Returns `None` if `visit` does, or if a branch has no tail
/// expression.
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
        Expr::Block(expr) if expr.label.is_none() => each_end(&mut expr.block, around, visit),
        // The value of a loop or labeled block comes from `break`. It diverges if it has none.
        Expr::Loop(_) | Expr::Block(_) => ends(value).is_empty().then_some(()),
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
    // Locals of the block do not exist when the value is rematerialized, so they have no scrutinee.
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

/// The patterns of a condition, and their scrutinees.
fn lets(cond: &Expr) -> impl Iterator<Item = (Pat, Expr)> {
    chain(cond).into_iter().filter_map(|operand| match operand {
        Expr::Let(cond) => Some(((*cond.pat).clone(), (*cond.expr).clone())),
        _ => None,
    })
}
