//! Number literals in rematerializations, where rustc may not know their type.
//!
//! ```text
//! for (name, cents) in [("rent", 5_000_000_000), ("tea", 1)] { show(name).await; }
//! ```
//!
//! Where `name` is rematerialized, nothing determines the type of `cents`, so it is an `i32`. Its value is not used,
//! and rustc must not report that the literal is too large.

use proc_macro2::TokenStream;
use quote::quote;
use syn::visit::{self, Visit};
use syn::{Expr, Lit};

/// The attribute for a statement with this expression, if a literal in it is too large for `i32`.
pub(super) fn allowed(made: &Expr) -> Option<TokenStream> {
    struct Large(bool);
    impl Visit<'_> for Large {
        fn visit_lit(&mut self, literal: &Lit) {
            if let Lit::Int(number) = literal {
                self.0 |= number.suffix().is_empty() && number.base10_parse::<i32>().is_err();
            }
        }

        fn visit_expr(&mut self, expr: &Expr) {
            if !self.0 {
                visit::visit_expr(self, expr);
            }
        }
    }
    let mut large = Large(false);
    large.visit_expr(made);
    large.0.then(|| quote!(#[allow(overflowing_literals)]))
}
