//! Locals whose types rustc infers from the order of the source.
//!
//! ```text
//! let mut best = None;
//! …
//! match best {
//!     None => best = Some(load().await),
//!     Some(ref text) if text.len() > 6 => …
//! }
//! ```
//!
//! The code after an await is an arm of its own, after the arm that uses `best`. So the body is printed once more
//! before all arms, in a closure that is never called, with a value of the output type in place of each await.

use proc_macro2::{Span, TokenStream};
use quote::{quote, quote_spanned};
use syn::spanned::Spanned;
use syn::visit_mut::{self, VisitMut};
use syn::{Attribute, Block, Expr, ExprAsync, Macro, Stmt};

use super::Machine;
use super::type_ties::tied_local;
use super::variables::type_token;
use crate::ir::usage::bound_locals;
use crate::syntax::hygiene::{hidden, numbered};
use crate::syntax::macros::Piece;
use crate::syntax::select::{Select, SelectSource};
use crate::syntax::suspend::Awaiting;
use crate::syntax::{macros, suspend};

/// The source, if it tells a type.
pub(super) fn told(machine: &Machine<'_>) -> TokenStream {
    let untold = &machine.layout.untold;
    if untold.is_empty() {
        return TokenStream::new();
    }
    let mut body = machine.function.body.clone();
    Source { machine }.visit_block_mut(&mut body);
    let (params, output) = (&machine.function.params, &machine.function.output);
    // What is wrong with it is said of the arms, and by rules for the function as a whole.
    quote! {
        #[allow(
            warnings,
            unconditional_panic,
            arithmetic_overflow,
            clippy::all,
            clippy::pedantic,
            clippy::nursery,
            clippy::restriction
        )]
        if false {
            let _ = |#(#params),*| -> #output #body;
        }
    }
}

/// Makes the source one that does not await.
struct Source<'a> {
    machine: &'a Machine<'a>,
}

impl Source<'_> {
    /// What ties the locals that a statement declares to those of the arms.
    fn tie(&self, stmt: &Stmt) -> Vec<Stmt> {
        let Stmt::Local(local) = stmt else { return Vec::new() };
        let Machine { graph, layout, .. } = self.machine;
        let bound = bound_locals(&graph.locals, &local.pat).into_iter();
        let untold = bound.filter(|local| layout.untold.contains(local));
        let ties = untold.map(|local| {
            let tied = tied_local(&graph.locals[local], &type_token(local));
            Stmt::Expr(Expr::Verbatim(tied), None)
        });
        ties.collect()
    }

    /// What a branch of a wait gives, or what is awaited alone, `at` that place.
    fn outcome(&mut self, operation: &mut Expr, at: Span) -> TokenStream {
        match operation {
            Expr::Paren(expr) => return self.outcome(&mut expr.expr, at),
            Expr::Group(expr) => return self.outcome(&mut expr.expr, at),
            Expr::Async(ExprAsync { capture, block, .. }) => {
                self.visit_block_mut(block);
                return quote!((#capture || #block)());
            }
            _ => self.visit_expr_mut(operation),
        }
        quote_spanned!(at=> __piton::outcome(#operation))
    }

    /// The operations are made one after the other, and then one handler runs.
    fn select(&mut self, select: Select, at: Span) -> TokenStream {
        let (mut made, mut arms) = (TokenStream::new(), TokenStream::new());
        for (index, arm) in select.arms.into_iter().enumerate() {
            let SelectSource { pat, mut future, cond, mut handler, is_else, .. } = arm;
            self.visit_expr_mut(&mut handler);
            if is_else {
                arms.extend(quote!(#index => { #handler }));
                continue;
            }
            let (operation, outcome) = (numbered("o", index), self.outcome(&mut future, at));
            made.extend(match cond {
                Some(cond) => quote!(let #operation = if #cond { #outcome } else { loop {} };),
                None => quote!(let #operation = #outcome;),
            });
            arms.extend(quote!(#index => {
                #[allow(irrefutable_let_patterns)]
                let #pat = #operation else { loop {} };
                #handler
            }));
        }
        quote_spanned!(at=> { #made match 0 { #arms _ => loop {} } })
    }

    /// What `select!`, `join!` and `try_join!` give.
    fn wait(&mut self, awaiting: Awaiting, mac: &Macro) -> Option<TokenStream> {
        let at = generated_at(mac.path.span());
        if awaiting == Awaiting::Select {
            return Some(self.select(Select::of(mac)?, at));
        }
        let values = macros::parse(mac)?.into_iter().filter_map(|piece| match piece {
            Piece::Expr(mut branch, _) => Some(self.outcome(&mut branch, at)),
            Piece::Tokens(_) => None,
        });
        let values: Vec<_> = values.collect();
        if awaiting == Awaiting::Join {
            return Some(quote_spanned!(at=> (#(#values,)*)));
        }
        let names: Vec<_> = (0..values.len()).map(|index| numbered("o", index)).collect();
        let error = hidden("error");
        let failures = (0..values.len()).map(|failed| {
            let of = |index| if index == failed { quote!(__piton::Err(#error)) } else { quote!(_) };
            let parts = (0..values.len()).map(of);
            quote!((#(#parts,)*))
        });
        Some(quote! {
            match (#(#values,)*) {
                (#(__piton::Ok(#names),)*) => __piton::Ok((#(#names,)*)),
                #(#failures)|* => __piton::Err(#error),
            }
        })
    }
}

impl VisitMut for Source<'_> {
    fn visit_block_mut(&mut self, block: &mut Block) {
        // Such items stand beside the arms, where they are seen here, too.
        let is_lowered = suspend::block(block);
        let stmts = std::mem::take(&mut block.stmts);
        for mut stmt in stmts {
            if is_lowered && matches!(stmt, Stmt::Item(_)) {
                continue;
            }
            self.visit_stmt_mut(&mut stmt);
            let tie = self.tie(&stmt);
            block.stmts.push(stmt);
            block.stmts.extend(tie);
        }
    }

    fn visit_stmt_mut(&mut self, stmt: &mut Stmt) {
        if let Stmt::Macro(mac) = stmt
            && let Some(awaiting) = suspend::awaiting(&mac.mac)
            && let Some(value) = self.wait(awaiting, &mac.mac)
        {
            *stmt = Stmt::Expr(Expr::Verbatim(value), mac.semi_token);
            return;
        }
        if !matches!(stmt, Stmt::Item(_)) {
            visit_mut::visit_stmt_mut(self, stmt);
        }
    }

    fn visit_expr_mut(&mut self, expr: &mut Expr) {
        let value = match expr {
            Expr::Await(expr) => {
                Some(self.outcome(&mut expr.base, generated_at(expr.await_token.span)))
            }
            Expr::Macro(expr) => {
                suspend::awaiting(&expr.mac).and_then(|awaiting| self.wait(awaiting, &expr.mac))
            }
            _ => None,
        };
        match value {
            Some(value) => *expr = Expr::Verbatim(value),
            None => visit_mut::visit_expr_mut(self, expr),
        }
    }

    fn visit_macro_mut(&mut self, mac: &mut Macro) {
        if macros::is_literal(mac) || !suspend::tokens(mac.tokens.clone()) {
            return;
        }
        macros::visit_exprs_mut(mac, |expr| self.visit_expr_mut(expr));
    }

    fn visit_attributes_mut(&mut self, attributes: &mut Vec<Attribute>) {
        attributes.retain(|attribute| !attribute.path().is_ident("state"));
    }
}

/// Of generated code that rustc is to look for there.
fn generated_at(span: Span) -> Span {
    Span::mixed_site().located_at(span)
}
