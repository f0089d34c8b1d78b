//! The `?` that is the first to happen behind an await.
//!
//! It is asked before anything of the state is read. If it ends the run, what is in the state is dropped there, and no
//! code of the arm has to.

use syn::visit::{self, Visit};
use syn::{Expr, ExprTry, Ident, Pat, Stmt};

use super::Root;
use crate::hygiene::is_hidden;
use crate::ir::{Block, BlockKind, Graph, Node, Terminator};

/// The `?` that a root begins with.
#[derive(Debug)]
pub(crate) struct Asked {
    pub(crate) question: ExprTry,
    /// What it asks: the variable of what has been awaited.
    pub(crate) awaited: Ident,
    /// Whether what it gives becomes a variable as it is, so that rustc has nothing to say of it there.
    pub(crate) is_bound: bool,
    /// Whether nothing else may end the run in the same piece of code.
    pub(super) is_alone: bool,
}

/// The `?` that the root begins with, if it does. A value that is to be dropped and is not in the state must not be
/// there, nor one in the state that has been moved out of.
pub(super) fn find(graph: &Graph, root: &Root) -> Option<Asked> {
    let block = &graph[root.block];
    if !matches!(block.kind, BlockKind::Resume(_)) || block.region.is_some() {
        return None;
    }
    if !root.carried.is_empty() || !root.gone.is_empty() {
        return None;
    }
    let awaited = graph.blocks.iter().find_map(|before| match &before.end {
        Terminator::Await { resume, pat: Pat::Ident(pat), ty: None, .. } => {
            (*resume == root.block && is_hidden(&pat.ident)).then_some(&pat.ident)
        }
        _ => None,
    })?;
    let (code, pat) = first_code(block)?;
    let question = first_question(code, awaited)?;
    let is_bound = matches!((code, pat), (Expr::Try(whole), Some(Pat::Ident(_))) if std::ptr::eq(whole, question));
    let mut ends = Ends(0);
    ends.visit_expr(code);
    Some(Asked {
        question: question.clone(),
        awaited: awaited.clone(),
        is_bound,
        is_alone: ends.0 == 1,
    })
}

/// The expression that a block begins with, and the pattern that binds its value.
fn first_code(block: &Block) -> Option<(&Expr, Option<&Pat>)> {
    let mut nodes = block.nodes.iter();
    match nodes.find(|node| !matches!(node, Node::Declare(_) | Node::Enter(_))) {
        Some(Node::Define { value, .. } | Node::Code(Stmt::Expr(value, _))) => Some((value, None)),
        Some(Node::Code(Stmt::Local(local))) => {
            let init = local.init.as_ref()?;
            init.diverge.is_none().then_some((&*init.expr, Some(&local.pat)))
        }
        Some(_) => None,
        None => match &block.end {
            Terminator::If { cond: value, .. }
            | Terminator::Match { scrutinee: value, .. }
            | Terminator::Await { future: value, .. }
            | Terminator::Return(value) => Some((value, None)),
            Terminator::Join { branches, .. } => Some((branches.first()?.operation()?, None)),
            _ => None,
        },
    }
}

/// The `?` behind `awaited`, if nothing happens in the expression before it.
fn first_question<'e>(expr: &'e Expr, awaited: &Ident) -> Option<&'e ExprTry> {
    let first = |expr: &'e Expr| first_question(expr, awaited);
    match expr {
        Expr::Try(expr) => match &*expr.expr {
            Expr::Path(path) if path.path.is_ident(awaited) => Some(expr),
            inner => first(inner),
        },
        Expr::Assign(expr) => first(&expr.right),
        Expr::Binary(expr) => first_of([&*expr.left, &*expr.right], awaited),
        Expr::Call(expr) => first_of(&expr.args, awaited),
        Expr::Cast(expr) => first(&expr.expr),
        Expr::Field(expr) => first(&expr.base),
        Expr::ForLoop(expr) => first(&expr.expr),
        Expr::Group(expr) => first(&expr.expr),
        Expr::If(expr) => first(&expr.cond),
        Expr::Index(expr) => first(&expr.expr),
        Expr::Let(expr) => first(&expr.expr),
        Expr::Match(expr) => first(&expr.expr),
        Expr::MethodCall(expr) => {
            first_of([&*expr.receiver].into_iter().chain(&expr.args), awaited)
        }
        Expr::Paren(expr) => first(&expr.expr),
        Expr::Range(expr) => {
            first_of(expr.start.iter().chain(&expr.end).map(|end| &**end), awaited)
        }
        Expr::Reference(expr) => first(&expr.expr),
        Expr::Return(expr) => first(expr.expr.as_ref()?),
        Expr::Struct(expr) => first_of(expr.fields.iter().map(|field| &field.expr), awaited),
        Expr::Tuple(expr) => first_of(&expr.elems, awaited),
        Expr::Unary(expr) => first(&expr.expr),
        _ => None,
    }
}

/// The same in what is evaluated one after the other. Neither a literal nor the name of a variable does anything.
fn first_of<'e>(exprs: impl IntoIterator<Item = &'e Expr>, awaited: &Ident) -> Option<&'e ExprTry> {
    let is_still = |expr: &&Expr| match expr {
        Expr::Lit(_) => true,
        Expr::Path(path) => path.path.get_ident().is_some(),
        _ => false,
    };
    first_question(exprs.into_iter().find(|expr| !is_still(expr))?, awaited)
}

/// Counts what may end the run. Any macro may.
struct Ends(usize);

impl Visit<'_> for Ends {
    fn visit_expr(&mut self, expr: &Expr) {
        if matches!(expr, Expr::Macro(_) | Expr::Return(_) | Expr::Try(_) | Expr::Verbatim(_)) {
            self.0 += 1;
        }
        visit::visit_expr(self, expr);
    }

    fn visit_stmt_macro(&mut self, _: &syn::StmtMacro) {
        self.0 += 1;
    }
}
