//! Results of methods that may be lookups, held across an await, if the file has methods with that name that return
//! values.
//!
//! ```text
//! if let Some(price) = prices.get(1) { show(price, rate().await); }
//!   →   let (found, kept) = given(prices.get(1)).split();
//!       if let Some(price) = found { show(price, rate().await); }
//! ```
//!
//! `found` is computed again by `told(&kept).again(&prices, || prices.get(1))`. The type decides: for a borrow
//! nothing is kept; a value is kept and not computed again.

use syn::spanned::Spanned;
use syn::{Expr, Ident};

use super::operands_by_type::asked;
use crate::lower::Lower;
use crate::syntax::build::let_stmt;
use crate::syntax::methods::{Fact, is, tried};
use crate::values::runtime_calls::function;
use crate::values::text_types::may_give_own;

impl Lower<'_> {
    /// Moves what a method of the file may have given as a value to a local that is made again as its type says.
    pub(crate) fn spill_told(&mut self, value: Expr) -> Expr {
        if let Expr::Tuple(mut tuple) = value {
            for part in &mut tuple.elems {
                let is_silent = self.is_place(part) || matches!(part, Expr::Lit(_));
                if !is_silent && self.lent(part).is_none() {
                    break;
                }
                *part = self.spill_told(std::mem::replace(part, Expr::PLACEHOLDER));
            }
            return Expr::Tuple(tuple);
        }
        let lent = self.lent(&value).filter(|_| may_be_own(&value));
        let Some(lent) = lent.filter(|lent| asked(lent.clone()).is_some()) else { return value };
        let (found, kept) = (self.temporary(&value), self.temporary(&value));
        let (pats, span) = ([self.local_pat(found), self.local_pat(kept)], value.span());
        self.locals[kept].may_be_text = false;
        self.locals[found].remade = Some(lent);
        self.locals[found].told_by = Some(kept);
        self.borrowed += 1;
        let split = syn::parse_quote_spanned!(span=> ::piton::__private::given(#value).split());
        self.code(let_stmt(syn::parse_quote_spanned!(span=> (#(#pats),*)), split));
        self.path(found)
    }
}

/// Whether the expression asks for something by a method that may be one of the file which gives a value.
pub(crate) fn may_be_own(value: &Expr) -> bool {
    match value {
        Expr::Paren(expr) => may_be_own(&expr.expr),
        Expr::Try(expr) => may_be_own(tried(expr)),
        Expr::MethodCall(call) if is(call, Fact::Opens) || is(call, Fact::Defaults) => {
            may_be_own(&call.receiver)
        }
        Expr::MethodCall(call) => is(call, Fact::Part) && may_give_own(&call.method),
        _ => false,
    }
}

/// How it is made again: as its type says by which it has been `kept`.
pub(crate) fn told_again(lent: &Expr, kept: &Ident) -> Option<Expr> {
    let (owners, span) = (owners(lent)?, lent.span());
    let again = asked(lent.clone())?;
    Some(
        syn::parse_quote_spanned!(span=> ::piton::__private::told(&#kept).again(#owners, || #again)),
    )
}

/// What is borrowed as long as what is lent.
fn owners(lent: &Expr) -> Option<&Expr> {
    let Expr::Call(call) = lent else { return None };
    match function(call)?.as_str() {
        "lent_by" => call.args.first(),
        _ => owners(call.args.first()?),
    }
}
