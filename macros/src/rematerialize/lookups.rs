//! Lookups: methods that return a borrow of a part of their receiver, and the same part at each call:
//! `order.lines.first()`, `accounts.get_mut(&id)`, `map.values().max_by_key(|n| n.abs())`.
//!
//! The borrow cannot be saved, so the lookup is evaluated again after an await. The receiver and the keys stay borrowed
//! until then, and cannot change.

use quote::{ToTokens, quote, quote_spanned};
use syn::spanned::Spanned;
use syn::{Expr, ExprField, ExprIndex, ExprMethodCall, ExprReference};

use crate::ir::Shape;
use crate::lower::borrows::Borrows;
use crate::syntax::methods::{Fact, is, returns_part, shares, tried};
use crate::values::projections::projects;
use crate::values::runtime_calls::made;
use crate::values::shapes::part_of_text;

/// A chain of methods that borrows a part of a place.
struct Chain<'e> {
    place: &'e Expr,
    /// The places that its keys borrow; `None` if a key must be saved first.
    keys: Option<Vec<Expr>>,
    is_shared: bool,
    /// Whether it returns a part, and not an iterator.
    returns_part: bool,
    /// Whether its items are tuples with a number, as from `enumerate`.
    has_numbers: bool,
    /// The expression that repeats the lookup.
    again: Expr,
}

impl Borrows<'_> {
    /// The expression that rematerializes `value`, if `value` borrows a part of a place through lookups.
    pub(crate) fn lookup_of(&self, value: &Expr) -> Option<Expr> {
        match value {
            Expr::Paren(expr) => self.lookup_of(&expr.expr),
            Expr::Try(expr) => self.opened(tried(expr)),
            Expr::MethodCall(call) if is(call, Fact::Unwraps) => self.opened(&call.receiver),
            // `&accounts.get(&id)?.owner`, `&accounts[&id]`
            Expr::Reference(expr) if matches!(*expr.expr, Expr::Field(_) | Expr::Index(_)) => {
                let mut chain = self.lending(&expr.expr)?;
                if self.is_place(&expr.expr) || expr.mutability.is_some() == chain.is_shared {
                    return None;
                }
                let again = Box::new(chain.again);
                chain.again = Expr::Reference(ExprReference { expr: again, ..expr.clone() });
                chain.made()
            }
            Expr::MethodCall(_) => self.lending(value).filter(|chain| chain.returns_part)?.made(),
            _ => None,
        }
    }

    /// Whether a chain borrows a part of a place, or its items.
    pub(crate) fn is_lookup(&self, chain: &Expr) -> bool {
        self.lending(chain).is_some()
    }

    /// Whether a chain borrows one part of a place.
    pub(crate) fn is_lookup_of_part(&self, chain: &Expr) -> bool {
        self.lending(chain).is_some_and(|chain| chain.returns_part)
    }

    /// Whether the expression is a place, or a chain that returns a shared borrow of a part of one.
    pub(crate) fn is_shared_lookup(&self, chain: &Expr) -> bool {
        self.lending(chain).is_some_and(|chain| chain.returns_part && chain.is_shared)
    }

    /// The places that a key borrows which is a lookup itself: `name.as_str()`.
    pub(crate) fn borrowed_by_key(&self, key: &ExprMethodCall) -> Option<Vec<Expr>> {
        let chain = self.lookup_call(key).filter(|chain| chain.returns_part && chain.is_shared)?;
        Some([vec![chain.place.clone()], chain.keys?].concat())
    }

    /// Whether the chain returns a mutable borrow of a part.
    pub(crate) fn is_mutable_lookup(&self, chain: &Expr) -> bool {
        self.lending(chain).is_some_and(|chain| chain.returns_part && !chain.is_shared)
    }

    /// Whether the chain returns an iterator of mutable borrows.
    pub(crate) fn yields_mutable_items(&self, chain: &Expr) -> bool {
        self.lending(chain).is_some_and(|chain| !(chain.returns_part || chain.is_shared))
    }

    fn opened(&self, value: &Expr) -> Option<Expr> {
        let lent = self.lookup_of(value)?;
        Some(made("opened", &lent, value))
    }

    fn lending<'e>(&self, expr: &'e Expr) -> Option<Chain<'e>> {
        match expr {
            Expr::Paren(expr) => self.lending(&expr.expr),
            Expr::MethodCall(call) => self.lookup_call(call),
            Expr::Try(expr) if self.is_taken_out_of(tried(expr)) => None,
            Expr::Try(expr) => {
                let mut chain = self.lending(tried(expr)).filter(|chain| chain.returns_part)?;
                chain.again = made("opened", &chain.again, tried(expr));
                Some(chain)
            }
            place if self.is_place(place) => Some(Chain {
                place,
                keys: Some(Vec::new()),
                is_shared: true,
                returns_part: true,
                has_numbers: false,
                again: place.clone(),
            }),
            Expr::Field(field) => {
                let mut chain = self.lending(&field.base).filter(|chain| chain.returns_part)?;
                let base = Box::new(chain.again);
                chain.again = Expr::Field(ExprField { base, ..field.clone() });
                Some(chain)
            }
            Expr::Index(expr) if !self.is_changing_text(&expr.expr) => {
                let mut chain =
                    self.lending(&expr.expr).filter(|it| it.returns_part && it.is_shared)?;
                let keys = self.keys(&expr.index);
                chain.keys = chain.keys.zip(keys).map(|(all, more)| [all, more].concat());
                let base = Box::new(chain.again);
                chain.again = Expr::Index(ExprIndex { expr: base, ..expr.clone() });
                Some(chain)
            }
            _ => None,
        }
    }

    fn lookup_call<'e>(&self, call: &'e ExprMethodCall) -> Option<Chain<'e>> {
        if self.is_changing_text(&call.receiver) && part_of_text(call, Shape::Lent).is_some() {
            return None;
        }
        let mut chain = self.lending(&call.receiver)?;
        let has_items = !chain.returns_part;
        let (looks, picks) = (is(call, Fact::Searches), is(call, Fact::Positional));
        let is_first = self.is_place(&call.receiver);
        let opens = is(call, Fact::Unwraps);
        if opens && self.is_taken_out_of(&call.receiver) {
            return None;
        }
        let has_default = is(call, Fact::Defaults) && chain.is_shared && !is_first;
        let sifts = is(call, Fact::Filters) && chain.is_shared && !is_first;
        let projects = projects(call, chain.has_numbers) && chain.is_shared && !is_first;
        let adapts = has_items && (is(call, Fact::Adapts) || sifts);
        chain.has_numbers |= call.method == "enumerate";
        // Lists have `last`, too.
        chain.returns_part = opens
            || has_items && (looks || picks || projects && call.method == "find_map")
            || !has_items
                && (has_default
                    || sifts && call.method == "filter"
                    || projects
                    || returns_part(call));
        let has_more = has_items && projects;
        if !(chain.returns_part || adapts || has_more || !has_items && is(call, Fact::Items)) {
            return None;
        }
        // Only collections return mutable borrows, each from the one that the previous call returned.
        let changes = !shares(call);
        if changes {
            if chain.is_shared && !is_first {
                return None;
            }
            chain.again = self.lender(chain.again, is_first);
            chain.is_shared = false;
        }
        // A shared method after a mutable borrow is a search, whose result may differ once the item was changed.
        if !(chain.is_shared || changes || adapts || opens || has_items && picks) {
            return None;
        }
        for arg in call.args.iter().filter(|_| !opens) {
            chain.keys = chain.keys.zip(self.keys(arg)).map(|(all, more)| [all, more].concat());
        }
        let receiver = Box::new(chain.again);
        chain.again = Expr::MethodCall(ExprMethodCall { receiver, ..call.clone() });
        Some(chain)
    }

    /// The receiver of a method that returns a mutable borrow: a `place`, or the result of the previous call.
    fn lender(&self, receiver: Expr, is_place: bool) -> Expr {
        let span = receiver.span();
        let borrowed = match &receiver {
            place if is_place && self.is_mutable_borrow(place) => {
                quote_spanned!(span=> &mut *#place)
            }
            place if is_place => quote_spanned!(span=> &mut #place),
            Expr::Field(part) => quote_spanned!(span=> &mut #part),
            lent => lent.to_token_stream(),
        };
        made("lender", borrowed, &receiver)
    }
}

impl Chain<'_> {
    /// The expression that repeats the lookup. It ties the result to the place and the keys, so that rustc keeps them
    /// borrowed as long as the result, whatever the methods' signatures say.
    fn made(&self) -> Option<Expr> {
        let (place, again) = (self.place, &self.again);
        let mut owners = match self.is_shared {
            true => quote_spanned!(place.span()=> &#place),
            false => quote!(()),
        };
        for key in self.keys.as_ref()? {
            owners = quote_spanned!(key.span()=> (&#key, #owners));
        }
        let function = if self.is_shared { "lent_by" } else { "lent_mutably" };
        Some(made(function, quote!(#owners, #again), again))
    }
}
