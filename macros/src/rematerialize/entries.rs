//! Borrows of values that may be inserted first: `totals.entry(key).or_default()`,
//! `cache.get_or_insert_with(Vec::new)`.
//!
//! The insertion becomes a separate statement, and later uses are lookups: in a map, by a copy of the key.

use proc_macro2::Span;
use syn::spanned::Spanned;
use syn::{Expr, ExprMethodCall, Lit};

use crate::lower::Lower;
use crate::lower::borrows::Borrows;
use crate::syntax::build::{let_stmt, wild_pat};
use crate::syntax::methods::is_one_of;

/// Methods that lend what is in an entry of a map, and may put it there.
const FILLING: [&str; 4] = ["or_default", "or_insert", "or_insert_with", "or_insert_with_key"];

/// Methods that lend what is in an `Option`, and may put it there.
pub(crate) const FILLING_OPTIONS: [&str; 3] =
    ["get_or_insert", "get_or_insert_default", "get_or_insert_with"];

impl Lower<'_> {
    /// Puts there what the expression puts there, and gives one that looks it up.
    pub(crate) fn fill(&mut self, value: Expr) -> Expr {
        let span = value.span();
        let Expr::MethodCall(mut call) = value else { return value };
        let found: Expr = match maker_mut(&mut call.receiver) {
            Some(entry) => {
                self.keep_filled(&mut entry.receiver);
                let at = entry.args[0].span();
                let kept = self.spill(entry.args[0].clone());
                entry.args[0] = copied_key(&kept, at);
                let map = &entry.receiver;
                syn::parse_quote_spanned!(span=> #map.get_mut(&#kept))
            }
            None => {
                self.keep_filled(&mut call.receiver);
                let option = &call.receiver;
                syn::parse_quote_spanned!(span=> #option.as_mut())
            }
        };
        self.code(let_stmt(wild_pat(), Expr::MethodCall(call)));
        syn::parse_quote_spanned!(span=> #found.expect("it has been put there"))
    }

    /// Puts there what the receiver of a method puts there, or keeps what it looks for.
    fn keep_filled(&mut self, receiver: &mut Expr) {
        let value = std::mem::replace(receiver, Expr::PLACEHOLDER);
        *receiver =
            if self.borrows().fills(&value) { self.fill(value) } else { self.keep_in(value) };
    }
}

impl Borrows<'_> {
    /// Whether the expression lends what it may have put into a map or an `Option`.
    pub(crate) fn fills(&self, value: &Expr) -> bool {
        let Expr::MethodCall(call) = value else { return false };
        let lasts = |receiver: &Expr| {
            self.is_place(receiver) || self.fills(receiver) || self.lends_to_change(receiver)
        };
        let is_of_option = is_one_of(&FILLING_OPTIONS, call) && lasts(&call.receiver);
        // Maps whose keys can be saved are not asked for literals; others that are may find nothing by one.
        let has_key = |entry: &ExprMethodCall| match &entry.args[0] {
            Expr::Lit(literal) => !matches!(literal.lit, Lit::Str(_)),
            _ => true,
        };
        is_of_option || entry(call).is_some_and(|entry| lasts(&entry.receiver) && has_key(entry))
    }
}

/// A copy of a key that is a reference or not.
fn copied_key(key: &Expr, span: Span) -> Expr {
    syn::parse_quote_spanned!(span=> ::piton::__private::copy_of_key({ &#key }))
}

/// The call that makes the entry of which an expression lends the value.
fn entry(call: &ExprMethodCall) -> Option<&ExprMethodCall> {
    if is_one_of(&FILLING, call) { maker(&call.receiver) } else { None }
}

fn maker(receiver: &Expr) -> Option<&ExprMethodCall> {
    match receiver {
        Expr::MethodCall(call) => (call.method == "entry" && call.args.len() == 1).then_some(call),
        _ => None,
    }
}

fn maker_mut(receiver: &mut Expr) -> Option<&mut ExprMethodCall> {
    let Expr::MethodCall(call) = receiver else { return None };
    (call.method == "entry").then_some(call)
}
