//! Expands `bail!` and `ensure!`, which contain a `return`.
//!
//! ```text
//! ensure!(left > 0, "empty")   →   match left > 0 { true => {} false => return Err(…) }
//! ```

use proc_macro2::{Span, TokenStream};
use quote::{quote, quote_spanned};
use syn::parse::Parser;
use syn::punctuated::Punctuated;
use syn::visit_mut::{self, VisitMut};
use syn::{Block, Expr, Macro, Stmt, Token};

use crate::syntax::macros;

/// Expands such macros in an expression that is an argument of a macro.
pub(crate) fn expr(expr: &mut Expr) {
    WriteOut.visit_expr_mut(expr);
}

/// As [`expr`], in an `async` block or the body of a workflow.
pub(crate) fn block(block: &mut Block) {
    WriteOut.visit_block_mut(block);
}

struct WriteOut;

impl VisitMut for WriteOut {
    fn visit_expr_mut(&mut self, expr: &mut Expr) {
        match expr {
            // A `return` in these does not leave the workflow, so their macros stay.
            Expr::Closure(_) | Expr::Const(_) => return,
            Expr::Path(_) | Expr::Lit(_) => return,
            Expr::Macro(call) => {
                if let Some(written) = expansion(&call.mac) {
                    *expr = Expr::Verbatim(written);
                    // The expanded tokens, parsed as an expression.
                    reparse(expr);
                }
            }
            _ => {}
        }
        visit_mut::visit_expr_mut(self, expr);
    }

    fn visit_stmt_mut(&mut self, stmt: &mut Stmt) {
        if let Stmt::Macro(call) = stmt
            && let Some(written) = expansion(&call.mac)
        {
            let mut expr = Expr::Verbatim(written);
            reparse(&mut expr);
            *stmt = Stmt::Expr(expr, call.semi_token);
        }
        visit_mut::visit_stmt_mut(self, stmt);
    }

    fn visit_item_mut(&mut self, _: &mut syn::Item) {}
}

fn reparse(expr: &mut Expr) {
    if let Expr::Verbatim(tokens) = expr
        && let Ok(parsed) = syn::parse2(tokens.clone())
    {
        *expr = parsed;
    }
}

/// Whether the macro expands to a `return`.
pub(crate) fn returns(mac: &Macro) -> bool {
    matches!(macros::name(mac).as_str(), "bail" | "ensure")
}

/// The expansion of `bail!` or `ensure!`.
fn expansion(mac: &Macro) -> Option<TokenStream> {
    let span = mac.path.segments.last()?.ident.span();
    match macros::name(mac).as_str() {
        "bail" => Some(bail(span, &mac.tokens)),
        "ensure" => {
            let pieces = macros::parse(mac)?;
            let (condition, rest) = match pieces.as_slice() {
                [macros::Piece::Expr(condition, _), rest @ ..] => (condition, rest),
                _ => return None,
            };
            let message = match rest {
                [] | [_] => {
                    let written = macros::written(condition);
                    quote_spanned!(span=> "condition failed: `{}`", #written)
                }
                [_, message @ ..] => macros::unparse(message),
            };
            let bail = bail(span, &message);
            Some(quote! { match #condition { true => {} false => #bail } })
        }
        _ => None,
    }
}

/// The expansion of `bail!` with the arguments of `format!`, or with an error.
fn bail(span: Span, message: &TokenStream) -> TokenStream {
    let only = Punctuated::<Expr, Token![,]>::parse_terminated.parse2(message.clone());
    if let Ok(only) = only
        && only.len() == 1
        && !matches!(only[0], Expr::Lit(_))
    {
        let error = &only[0];
        return quote_spanned! {span=>
            return ::core::result::Result::Err(::core::convert::From::from(#error))
        };
    }
    quote_spanned! {span=>
        return ::core::result::Result::Err(::core::convert::From::from(
            ::piton::Error::msg(::core::format_args!(#message)),
        ))
    }
}
