//! Code that suspends: it contains an `.await`, or one of the macros that await.

use proc_macro2::{TokenStream, TokenTree};
use syn::punctuated::Punctuated;
use syn::visit::Visit;
use syn::{Block, Expr, Ident, Macro, Stmt, Token};

use super::macros;

/// The macros that await.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Awaiting {
    Select,
    Join,
    TryJoin,
}

/// The kind of an awaiting macro.
pub(crate) fn awaiting(mac: &Macro) -> Option<Awaiting> {
    by_name(&mac.path.segments.last()?.ident)
}

fn by_name(name: &Ident) -> Option<Awaiting> {
    match name.to_string().as_str() {
        "select" | MACRO => Some(Awaiting::Select),
        "join" => Some(Awaiting::Join),
        "try_join" => Some(Awaiting::TryJoin),
        _ => None,
    }
}

/// The operations of a `join!` or a `try_join!`.
pub(crate) fn joined(mac: &Macro) -> syn::Result<Vec<Expr>> {
    let operations = mac.parse_body_with(Punctuated::<Expr, Token![,]>::parse_terminated)?;
    Ok(operations.into_iter().collect())
}

/// Whether evaluating the expression can suspend.
pub(crate) fn expr(expr: &Expr) -> bool {
    let mut search = Search(false);
    search.visit_expr(expr);
    search.0
}

/// The `async` block, if the await's operand is one.
pub(crate) fn awaited_block(expr: &syn::ExprAwait) -> Option<&syn::ExprAsync> {
    let mut base = &*expr.base;
    loop {
        base = match base {
            Expr::Async(block) => return Some(block),
            Expr::Paren(expr) => &expr.expr,
            Expr::Group(expr) => &expr.expr,
            _ => return None,
        };
    }
}

/// Whether running the block can suspend.
pub(crate) fn block(block: &Block) -> bool {
    block.stmts.iter().any(stmt)
}

/// Whether running the statement can suspend.
pub(crate) fn stmt(stmt: &Stmt) -> bool {
    let mut search = Search(false);
    search.visit_stmt(stmt);
    search.0
}

/// Whether the tokens contain an `.await` or a macro that awaits.
pub(crate) fn tokens(tokens: TokenStream) -> bool {
    let (mut after_dot, mut after_name) = (false, false);
    for tree in tokens {
        match &tree {
            TokenTree::Ident(ident) if after_dot && ident == "await" => return true,
            TokenTree::Punct(punct) if after_name && punct.as_char() == '!' => return true,
            TokenTree::Group(group) if crate::syntax::suspend::tokens(group.stream()) => {
                return true;
            }
            _ => {}
        }
        after_dot = matches!(&tree, TokenTree::Punct(punct) if punct.as_char() == '.');
        after_name = matches!(&tree, TokenTree::Ident(ident) if by_name(ident).is_some());
    }
    false
}

struct Search(bool);

impl<'ast> Visit<'ast> for Search {
    fn visit_expr(&mut self, expr: &'ast Expr) {
        match expr {
            _ if self.0 => {}
            Expr::Await(_) => self.0 = true,
            // The content of these does not run when the expression is evaluated.
            Expr::Closure(_) | Expr::Async(_) | Expr::Const(_) => {}
            Expr::Path(_) | Expr::Lit(_) => {}
            _ => syn::visit::visit_expr(self, expr),
        }
    }

    fn visit_macro(&mut self, mac: &'ast Macro) {
        let may_await = !macros::is_literal(mac);
        self.0 |= may_await && (awaiting(mac).is_some() || tokens(mac.tokens.clone()));
    }

    fn visit_item(&mut self, _: &'ast syn::Item) {}

    fn visit_type(&mut self, _: &'ast syn::Type) {}
}

/// The name of the macro.
pub(crate) const MACRO: &str = "__piton_timeout";
