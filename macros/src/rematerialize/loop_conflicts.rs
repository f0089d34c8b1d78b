//! Refuses loops over a mutable borrow whose body uses the borrowed collection.
//!
//! rustc refuses such a loop in a plain function. It would accept the machine, where each state borrows separately. A
//! use before a `break` or `return` may be valid, and is not reported.

use proc_macro2::Span;
use quote::ToTokens;
use syn::spanned::Spanned;
use syn::visit::{self, Visit};
use syn::{Block, Expr, Ident, Stmt};

use crate::diagnostics::rules::Rule;
use crate::lower::Lower;
use crate::syntax::hygiene::Names;
use crate::syntax::methods;

impl Lower<'_> {
    /// Reports a use, in the body of the loop, of a place that `iterable` borrows mutably.
    pub(crate) fn check_uses(&self, iterable: &Expr, body: &Block) {
        let mut lent = Vec::new();
        mutable_places(iterable, &mut lent);
        for place in lent {
            let Some((root, fields)) = path_of(place) else { continue };
            let Some(local) = self.locals.find(root) else { continue };
            let mut uses = Uses { root, fields, found: None };
            uses.visit_block(body);
            let Some(span) = uses.found else { continue };
            let name = self.locals[local].name();
            let name = uses.fields.iter().fold(name.to_owned(), |name, field| name + "." + field);
            self.diagnostics.error(
                span,
                Rule::SAVED_LOCALS,
                format!("`{name}` is used in a loop over a mutable borrow of it"),
                "iterate over indices, `for n in 0..list.len()`, or make the change after the loop",
            );
        }
    }
}

/// The places that an iterable borrows mutably.
fn mutable_places<'e>(iterable: &'e Expr, out: &mut Vec<&'e Expr>) {
    if methods::is_shared(iterable) {
        return;
    }
    match iterable {
        Expr::Reference(expr) => out.push(&expr.expr),
        Expr::Paren(expr) => mutable_places(&expr.expr, out),
        Expr::MethodCall(call) => {
            call.args.iter().for_each(|arg| mutable_places(arg, out));
            match &*call.receiver {
                Expr::MethodCall(_) | Expr::Reference(_) | Expr::Paren(_) => {
                    mutable_places(&call.receiver, out);
                }
                place if call.method.to_string().ends_with("_mut") => out.push(place),
                _ => {}
            }
        }
        _ => {}
    }
}

/// The local and the field names of a place.
fn path_of(place: &Expr) -> Option<(&Ident, Vec<String>)> {
    match place {
        Expr::Path(path) => Some((path.path.get_ident()?, Vec::new())),
        Expr::Field(expr) => {
            let (root, mut fields) = path_of(&expr.base)?;
            fields.push(expr.member.to_token_stream().to_string());
            Some((root, fields))
        }
        Expr::Paren(expr) => path_of(&expr.expr),
        _ => None,
    }
}

/// Finds a use of a place.
struct Uses<'a> {
    root: &'a Ident,
    fields: Vec<String>,
    found: Option<Span>,
}

impl<'ast> Visit<'ast> for Uses<'_> {
    fn visit_block(&mut self, block: &'ast Block) {
        for (index, stmt) in block.stmts.iter().enumerate() {
            if !block.stmts[index..].iter().any(leaves) {
                self.visit_stmt(stmt);
            }
        }
    }

    fn visit_expr(&mut self, expr: &'ast Expr) {
        match path_of(expr) {
            Some((root, fields)) => {
                let overlaps = fields.iter().zip(&self.fields).all(|(a, b)| a == b);
                if root == self.root && overlaps {
                    self.found.get_or_insert(expr.span());
                }
            }
            None => visit::visit_expr(self, expr),
        }
    }

    fn visit_macro(&mut self, mac: &'ast syn::Macro) {
        if self.fields.is_empty() && Names::of(mac.tokens.clone()).has(&self.root.to_string()) {
            self.found.get_or_insert(mac.path.span());
        }
    }

    fn visit_item(&mut self, _: &'ast syn::Item) {}
}

/// Whether the statement may leave the loop.
fn leaves(stmt: &Stmt) -> bool {
    struct Leaves(bool);
    impl<'ast> Visit<'ast> for Leaves {
        fn visit_expr(&mut self, expr: &'ast Expr) {
            let labeled = matches!(expr, Expr::Continue(expr) if expr.label.is_some());
            self.0 |= labeled || matches!(expr, Expr::Break(_) | Expr::Return(_));
            visit::visit_expr(self, expr);
        }
        fn visit_macro(&mut self, mac: &'ast syn::Macro) {
            let names = Names::of(mac.tokens.clone());
            self.0 |= ["return", "break", "continue"].iter().any(|word| names.has(word));
        }
        fn visit_item(&mut self, _: &'ast syn::Item) {}
    }
    let mut leaves = Leaves(false);
    leaves.visit_stmt(stmt);
    leaves.0
}
