//! Borrows of a value that the same expression may insert: `totals.entry(key).or_default()`,
//! `cache.get_or_insert_with(Vec::new)`.
//!
//! The insertion becomes a statement, and the borrow a lookup, in a map by a copy of the key.

use proc_macro2::Span;
use syn::spanned::Spanned;
use syn::{Expr, ExprMethodCall, Lit};

use crate::lower::Lower;
use crate::lower::borrows::Borrows;
use crate::syntax::build::{let_stmt, wild_pat};
use crate::syntax::methods::is_one_of;

/// Methods of a map's entry that insert a missing value and return a mutable borrow of it.
const FILLING: [&str; 4] = ["or_default", "or_insert", "or_insert_with", "or_insert_with_key"];

/// Methods of `Option` that insert a missing value and return a mutable borrow of it.
pub(crate) const FILLING_OPTIONS: [&str; 3] =
    ["get_or_insert", "get_or_insert_default", "get_or_insert_with"];

impl Lower<'_> {
    /// Emits the insertion as a statement, and returns the lookup that replaces it.
    pub(crate) fn insert_missing(&mut self, value: Expr) -> Expr {
        let span = value.span();
        let Expr::MethodCall(mut call) = value else { return value };
        let found: Expr = match maker_mut(&mut call.receiver) {
            Some(entry) => {
                self.insert_in_receiver(&mut entry.receiver);
                let at = entry.args[0].span();
                let kept = self.spill(entry.args[0].clone());
                entry.args[0] = copied_key(&kept, at);
                let map = &entry.receiver;
                syn::parse_quote_spanned!(span=> #map.get_mut(&#kept))
            }
            None => {
                self.insert_in_receiver(&mut call.receiver);
                let option = &call.receiver;
                syn::parse_quote_spanned!(span=> #option.as_mut())
            }
        };
        self.code(let_stmt(wild_pat(), Expr::MethodCall(call)));
        syn::parse_quote_spanned!(span=> #found.expect("it has been put there"))
    }

    /// Emits the insertion in the receiver of a method, or saves the keys of its lookups.
    fn insert_in_receiver(&mut self, receiver: &mut Expr) {
        let value = std::mem::replace(receiver, Expr::PLACEHOLDER);
        *receiver = if self.borrows().may_insert(&value) {
            self.insert_missing(value)
        } else {
            self.save_keys_of_chain(value)
        };
    }
}

impl Borrows<'_> {
    /// Whether the expression returns a borrow of a value that it may insert into a map or an `Option`.
    pub(crate) fn may_insert(&self, value: &Expr) -> bool {
        let Expr::MethodCall(call) = value else { return false };
        let lasts = |receiver: &Expr| {
            self.is_place(receiver) || self.may_insert(receiver) || self.is_mutable_lookup(receiver)
        };
        let is_of_option = is_one_of(&FILLING_OPTIONS, call) && lasts(&call.receiver);
        // A map with borrowed `str` keys cannot be saved, and in another map a `str` literal is no key.
        let has_key = |entry: &ExprMethodCall| match &entry.args[0] {
            Expr::Lit(literal) => !matches!(literal.lit, Lit::Str(_)),
            _ => true,
        };
        is_of_option || entry(call).is_some_and(|entry| lasts(&entry.receiver) && has_key(entry))
    }
}

/// A copy of a key that may be a reference.
fn copied_key(key: &Expr, span: Span) -> Expr {
    syn::parse_quote_spanned!(span=> ::piton::__private::copy_of_key({ &#key }))
}

/// The call of `entry` whose value the expression borrows.
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
