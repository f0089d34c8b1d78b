//! The first `?` after an await.
//!
//! ```text
//! let receipt = charge(id).await?;    →   the segment evaluates `?` on the outcome before it loads the state
//! ```
//!
//! If the `?` ends the run, the locals of the state are dropped from their encoded form, and the arm needs no code for
//! that.

use std::iter;

use proc_macro2::Span;
use quote::ToTokens;
use syn::visit::{self, Visit};
use syn::{Expr, ExprTry, Ident, Pat, Stmt};

use super::types::Segment;
use crate::ir::usage::Usage;
use crate::ir::{Block, Graph, Locals, Node, Terminator};
use crate::syntax::hygiene::is_hidden;
use crate::syntax::macros::scan_names;
use crate::syntax::methods::takes;
use crate::syntax::names::is_any_of;
use crate::syntax::operators::is_lazy;

/// A `?` on the outcome of an await, at the start of a segment.
#[derive(Debug)]
pub(crate) struct LeadingTry {
    /// The span of the `?`.
    pub(crate) span: Span,
    /// The variable that holds the outcome.
    pub(crate) awaited: Ident,
    /// The operand of the `?` if it is more than the outcome: `awaited.map_err(Error::boxed)`.
    pub(crate) operand: Option<Expr>,
    /// Whether a `let` binds the result of the `?`, so that rustc reports no type error at the `?`.
    pub(crate) is_bound: bool,
    /// Whether nothing else in the same node may end the run.
    pub(super) is_alone: bool,
}

impl LeadingTry {
    /// Whether `value` is the operand of this `?`. A node uses the outcome once.
    pub(crate) fn is_of_awaited(&self, value: &Expr) -> bool {
        match value {
            Expr::MethodCall(call) => self.is_of_awaited(&call.receiver),
            value => is_awaited(value, &self.awaited),
        }
    }
}

/// Finds the `?` at the start of each segment. At the `?`, no value may exist that must be dropped and is not in the
/// state, and no local of the state may have been moved.
pub(super) fn find(graph: &Graph, segments: &mut [Segment]) {
    // By block, the hidden variable that holds the outcome of the await before it.
    let mut awaited = vec![None; graph.blocks.len()];
    for block in &graph.blocks {
        if let Terminator::Await { resume, pat: Pat::Ident(pat), ty: None, .. } = &block.end
            && is_hidden(&pat.ident)
        {
            awaited[resume.0] = Some(&pat.ident);
        }
    }
    for segment in segments {
        let block = &graph[segment.block];
        if let (Some(awaited), None) = (awaited[segment.block.0], block.region) {
            segment.leading_try = first_in(graph, block, awaited);
        }
    }
}

fn first_in(graph: &Graph, block: &Block, awaited: &Ident) -> Option<LeadingTry> {
    let (code, pat, usage) = first_code(block)?;
    let question = First { locals: &graph.locals, awaited, usage }.question(code)?;
    let is_whole = matches!(code, Expr::Try(whole) if std::ptr::eq(whole, question));
    let mut ends = Ends(0);
    ends.visit_expr(code);
    let operand = (!is_awaited(&question.expr, awaited)).then(|| (*question.expr).clone());
    Some(LeadingTry {
        span: question.question_token.span,
        awaited: awaited.clone(),
        operand,
        is_bound: is_whole && matches!(pat, Some(Pat::Ident(_))),
        is_alone: ends.0 == 1,
    })
}

/// The expression that a block evaluates first, the pattern that binds its value, and its usage.
fn first_code(block: &Block) -> Option<(&Expr, Option<&Pat>, &Usage)> {
    let mut nodes = block.nodes.iter().zip(&block.usages);
    match nodes.find(|(node, _)| !matches!(node, Node::Declare(_) | Node::Enter(_))) {
        Some((Node::Define { value, .. } | Node::Code(Stmt::Expr(value, _)), usage)) => {
            Some((value, None, usage))
        }
        Some((Node::Code(Stmt::Local(local)), usage)) => {
            let init = local.init.as_ref().filter(|init| init.diverge.is_none())?;
            Some((&init.expr, Some(&local.pat), usage))
        }
        Some(_) => None,
        None => match &block.end {
            Terminator::If { cond: value, .. }
            | Terminator::Match { scrutinee: value, .. }
            | Terminator::Await { future: value, .. }
            | Terminator::Return(value) => Some((value, None, &block.end_usage)),
            _ => None,
        },
    }
}

/// Finds the subexpression that is evaluated first.
struct First<'a> {
    locals: &'a Locals,
    awaited: &'a Ident,
    usage: &'a Usage,
}

impl First<'_> {
    /// The `?` on the outcome, if no code with effects is evaluated before it.
    fn question<'e>(&self, expr: &'e Expr) -> Option<&'e ExprTry> {
        match expr {
            Expr::Try(expr) if self.is_of_awaited(&expr.expr) => Some(expr),
            Expr::Try(expr) => self.question(&expr.expr),
            Expr::Assign(expr) => self.question(&expr.right),
            Expr::Binary(expr) if is_lazy(&expr.op) => self.question(&expr.left),
            Expr::Binary(expr) => self.among([&*expr.left, &*expr.right]),
            Expr::Call(expr) => match &*expr.func {
                Expr::Path(_) | Expr::Verbatim(_) => self.among(&expr.args),
                func => self.question(func),
            },
            Expr::Cast(expr) => self.question(&expr.expr),
            Expr::Field(expr) => self.question(&expr.base),
            Expr::ForLoop(expr) => self.question(&expr.expr),
            Expr::Group(expr) => self.question(&expr.expr),
            Expr::If(expr) => self.question(&expr.cond),
            Expr::Index(expr) => self.among([&*expr.expr, &*expr.index]),
            Expr::Let(expr) => self.question(&expr.expr),
            Expr::Match(expr) => self.question(&expr.expr),
            Expr::MethodCall(expr) => self.among(iter::once(&*expr.receiver).chain(&expr.args)),
            Expr::Paren(expr) => self.question(&expr.expr),
            Expr::Range(expr) => {
                self.among([&expr.start, &expr.end].into_iter().flatten().map(|end| &**end))
            }
            Expr::Reference(expr) => self.question(&expr.expr),
            Expr::Return(expr) => self.question(expr.expr.as_ref()?),
            Expr::Struct(expr) => self.among(expr.fields.iter().map(|field| &field.expr)),
            Expr::Tuple(expr) => self.among(&expr.elems),
            Expr::Unary(expr) => self.question(&expr.expr),
            _ => None,
        }
    }

    /// Whether the expression is the outcome, or a chain of methods that consumes the outcome and uses no saved local.
    fn is_of_awaited(&self, expr: &Expr) -> bool {
        match expr {
            Expr::MethodCall(call) => {
                let is_made = takes(call) || is_any_of(&call.method, &["context", "with_context"]);
                is_made
                    && call.args.iter().all(|argument| self.is_free(argument))
                    && self.is_of_awaited(&call.receiver)
            }
            expr => is_awaited(expr, self.awaited),
        }
    }

    /// Whether an argument uses no saved local, cannot leave the expression, and needs no drop.
    fn is_free(&self, argument: &Expr) -> bool {
        let mut ends = Ends(0);
        ends.visit_expr(argument);
        let mut is_free =
            ends.0 == 0 && matches!(argument, Expr::Closure(_) | Expr::Lit(_) | Expr::Path(_));
        scan_names(&argument.to_token_stream(), &mut |name| {
            is_free &= self.locals.find_name(name).is_none();
        });
        is_free
    }

    /// As [`question`](Self::question), for operands in evaluation order.
    fn among<'e>(&self, exprs: impl IntoIterator<Item = &'e Expr>) -> Option<&'e ExprTry> {
        self.question(exprs.into_iter().find(|expr| !self.is_still(expr))?)
    }

    /// Whether evaluating the operand has no effect and moves no local: a moved local would have to be dropped with the
    /// other operands. A variable of a suspended expression may be moved.
    fn is_still(&self, expr: &Expr) -> bool {
        match expr {
            Expr::Lit(_) => true,
            Expr::Path(path) => path.path.get_ident().is_some_and(|ident| {
                let local = self.locals.find(ident);
                let is_spent = |local| self.usage.moved.iter().any(|spent| spent.local == local);
                is_hidden(ident) || !local.is_some_and(is_spent)
            }),
            _ => false,
        }
    }
}

fn is_awaited(expr: &Expr, awaited: &Ident) -> bool {
    matches!(expr, Expr::Path(path) if path.path.is_ident(awaited))
}

/// Counts the expressions that may leave the code. Any macro may.
struct Ends(usize);

impl Visit<'_> for Ends {
    fn visit_expr(&mut self, expr: &Expr) {
        let leaves = matches!(
            expr,
            Expr::Break(_)
                | Expr::Continue(_)
                | Expr::Macro(_)
                | Expr::Return(_)
                | Expr::Try(_)
                | Expr::Verbatim(_)
        );
        self.0 += usize::from(leaves);
        visit::visit_expr(self, expr);
    }

    fn visit_stmt_macro(&mut self, _: &syn::StmtMacro) {
        self.0 += 1;
    }
}
