//! Types that rustc learns from what follows an await.
//!
//! ```text
//! let mut best = None;
//! …
//! if best.is_none() { best = Some(load().await); } else if best.as_ref().is_some_and(|it| it.len() > 6) { … }
//! ```
//!
//! What comes after the await is in an arm of its own, behind the one that looks into `best`. So where the
//! branch suspends, the assignment is written once more, in code that is never come to.

use proc_macro2::TokenStream;
use quote::{ToTokens, quote};
use syn::visit::Visit;
use syn::{Expr, ExprAsync, ExprClosure, Pat, Stmt};

use super::print::{Printer, awaited};
use super::step::{context, parked};
use super::tokens::operation_token;
use crate::ir::{BlockId, BlockKind, LocalId, Node, PointId};
use crate::usage::bound_locals;

impl Printer<'_> {
    /// What tells types behind the await that suspends, if anything does.
    pub(super) fn told_behind(&self, point: PointId, pat: &Pat, resume: BlockId) -> TokenStream {
        let graph = self.machine.graph;
        let mut known = bound_locals(&graph.locals, pat);
        let (mut told, mut all) = (TokenStream::new(), TokenStream::new());
        let block = &graph[resume];
        if block.kind != BlockKind::Resume(point) || self.machine.layout.untold.is_empty() {
            return told;
        }
        for (node, usage) in block.nodes.iter().zip(&block.usages) {
            let Node::Code(stmt) = node else { break };
            let is_known =
                |local: &LocalId| known.contains(local) || self.root.named.contains(local);
            // Written twice, a closure is of two types.
            let is_plain = self.is_plain(usage) && !has_closure(stmt);
            if !is_plain || !usage.mentions.iter().all(is_known) {
                break;
            }
            all.extend(stmt.to_token_stream());
            if let Stmt::Local(local) = stmt {
                known.extend(bound_locals(&graph.locals, &local.pat));
            } else if self.tells(stmt) {
                told.clone_from(&all);
            }
        }
        if told.is_empty() {
            return told;
        }
        let (token, parked, cx) = (operation_token(point, 0), parked(), context());
        let value = awaited(graph.points[point.0].span);
        let value = self.unwrap(&value, &quote!((#token.resume)(#parked, #cx)));
        let (bind, leave) = (self.bind_awaited(point), self.leave());
        quote! {
            #[allow(unused_variables, unused_assignments, unused_mut, clippy::all)]
            if false {
                #value
                #bind
                #told
                break #leave;
            }
        }
    }

    /// Whether a statement gives something to a local of which no more is known before.
    fn tells(&self, stmt: &Stmt) -> bool {
        let Stmt::Expr(expr, _) = stmt else { return false };
        let given_to = match expr {
            Expr::Assign(expr) => &expr.left,
            Expr::MethodCall(call) if !call.args.is_empty() => &call.receiver,
            _ => return false,
        };
        let Expr::Path(path) = &**given_to else { return false };
        let local = path.path.get_ident().and_then(|ident| self.machine.graph.locals.find(ident));
        local.is_some_and(|local| self.machine.layout.untold.contains(&local))
    }
}

fn has_closure(stmt: &Stmt) -> bool {
    struct Closures(bool);
    impl Visit<'_> for Closures {
        fn visit_expr_closure(&mut self, _: &ExprClosure) {
            self.0 = true;
        }
        fn visit_expr_async(&mut self, _: &ExprAsync) {
            self.0 = true;
        }
    }
    let mut closures = Closures(false);
    closures.visit_stmt(stmt);
    closures.0
}
