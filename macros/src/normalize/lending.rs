//! Methods that lend a part of what they are called on, and the same part whenever they are called:
//! `order.lines.first()`, `accounts.get_mut(&id)`, `map.values().max_by_key(|n| n.abs())`.
//!
//! What such a chain lends of a local cannot be saved; it is asked for again after an await. Until then
//! the local is borrowed, so it stays as it is, and so do the keys that the chain names.

use quote::{ToTokens, quote, quote_spanned};
use syn::spanned::Spanned;
use syn::{Expr, ExprField, ExprIndex, ExprMethodCall, ExprReference, ExprTry};

use super::made::made;
use super::projections::projects;
use super::shapes::part_of_text;
use super::{Lower, pairs};
use crate::hygiene::is_any_of;
use crate::ir::Shape;

/// Methods that lend the items of what they are called on, or parts of it.
pub(super) const ITEMS: [&str; 30] = [
    "chunk_by",
    "chunks",
    "chunks_exact",
    "chunks_exact_mut",
    "chunks_mut",
    "difference",
    "intersection",
    "iter",
    "iter_mut",
    "keys",
    "lines",
    "match_indices",
    "range",
    "range_mut",
    "rchunks",
    "rchunks_mut",
    "rsplit",
    "rsplit_terminator",
    "rsplitn",
    "split",
    "split_ascii_whitespace",
    "split_inclusive",
    "split_terminator",
    "split_whitespace",
    "splitn",
    "symmetric_difference",
    "union",
    "values",
    "values_mut",
    "windows",
];

/// Methods that lend all of what they are called on as something that has items.
pub(super) const WHOLE: [&str; 2] = ["as_slice", "as_str"];

/// Methods that give the items of an iterator, or some of them, in an order of their own.
pub(super) const ADAPTING: [&str; 8] =
    ["cycle", "enumerate", "flatten", "peekable", "rev", "skip", "step_by", "take"];

/// Methods that pick one item of an iterator. Those that look at the items may find another one once it
/// has been changed.
pub(super) const PICKING: [&str; 5] = ["last", "next", "next_back", "nth", "nth_back"];
pub(super) const LOOKING: [&str; 8] =
    ["find", "max", "max_by", "max_by_key", "min", "min_by", "min_by_key", "rfind"];

/// Methods that leave out items of an iterator, or what is in an `Option`, by a look at it.
const SIFTING: [&str; 3] = ["filter", "skip_while", "take_while"];

/// Methods that lend a part of what they are called on.
pub(super) const PARTS: [&str; 30] = [
    "as_bytes",
    "as_deref",
    "as_os_str",
    "as_path",
    "as_ref",
    "as_slice",
    "as_str",
    "back",
    "file_stem",
    "first",
    "first_key_value",
    "front",
    "get",
    "get_key_value",
    "last",
    "last_key_value",
    "rsplit_once",
    "split_at",
    "split_first",
    "split_last",
    "split_once",
    "strip_prefix",
    "strip_suffix",
    "to_str",
    "trim",
    "trim_end",
    "trim_end_matches",
    "trim_matches",
    "trim_start",
    "trim_start_matches",
];

/// As `PARTS`, to be changed.
pub(super) const PARTS_MUT: [&str; 11] = [
    "as_deref_mut",
    "as_mut",
    "as_mut_slice",
    "back_mut",
    "first_mut",
    "front_mut",
    "get_mut",
    "last_mut",
    "split_at_mut",
    "split_first_mut",
    "split_last_mut",
];

/// Those of [`PARTS`] that find something whatever is there.
pub(super) const LENDING_ALWAYS: [&str; 14] = [
    "as_bytes",
    "as_deref",
    "as_os_str",
    "as_path",
    "as_ref",
    "as_slice",
    "as_str",
    "split_at",
    "trim",
    "trim_end",
    "trim_end_matches",
    "trim_matches",
    "trim_start",
    "trim_start_matches",
];

/// Methods that give what is in an `Option` or `Result`.
pub(super) const OPENING: [&str; 2] = ["expect", "unwrap"];

/// Methods that give something else where there is nothing.
pub(super) const DEFAULTING: [&str; 2] = ["unwrap_or", "unwrap_or_default"];

/// Methods that give the error that a `?` returns with where there is nothing.
const EXPLAINING: [&str; 5] = ["context", "map_err", "ok_or", "ok_or_else", "with_context"];

/// Those of [`PARTS`] and [`PARTS_MUT`] that are told what to look for, which is one thing.
const TOLD: [&str; 12] = [
    "get",
    "get_key_value",
    "get_mut",
    "rsplit_once",
    "split_at",
    "split_at_mut",
    "split_once",
    "strip_prefix",
    "strip_suffix",
    "trim_end_matches",
    "trim_matches",
    "trim_start_matches",
];

pub(super) fn is_one_of(methods: &[&str], call: &ExprMethodCall) -> bool {
    is_any_of(&call.method, methods)
}

/// Whether a method lends a part, and not one of the user's by that name with other arguments.
pub(crate) fn gives_part(call: &ExprMethodCall) -> bool {
    (is_one_of(&PARTS, call) || is_one_of(&PARTS_MUT, call))
        && call.args.len() == usize::from(is_one_of(&TOLD, call))
}

/// Whether a method lends a part or items of what it is called on, and none to be changed.
pub(crate) fn lends_shared(call: &ExprMethodCall) -> bool {
    (gives_part(call) || is_one_of(&ITEMS, call)) && shares(call)
}

/// Whether a method only looks at what it lends.
pub(super) fn shares(call: &ExprMethodCall) -> bool {
    !(is_one_of(&PARTS_MUT, call) || call.method.to_string().ends_with("_mut"))
}

/// A chain of methods that lends a part of a place.
struct Chain<'e> {
    place: &'e Expr,
    /// What it looks for, borrowed; `None` if that is yet to be kept.
    keys: Option<Vec<Expr>>,
    is_shared: bool,
    /// Whether it ends with a part, and not with an iterator.
    gives_part: bool,
    /// Whether what it gives has numbers beside the parts.
    has_numbers: bool,
    /// What gives the same again.
    again: Expr,
}

impl Lower<'_> {
    /// The expression as it is made again, if it lends a part of a place.
    pub(super) fn lent(&self, value: &Expr) -> Option<Expr> {
        match value {
            Expr::Paren(expr) => self.lent(&expr.expr),
            Expr::Try(expr) => self.opened(tried(expr)),
            Expr::MethodCall(call) if is_one_of(&OPENING, call) => self.opened(&call.receiver),
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
            Expr::MethodCall(_) => self.lending(value).filter(|chain| chain.gives_part)?.made(),
            Expr::Field(field) if pairs::is_part(field) || self.is_part_of_lent(field) => {
                self.lending(value)?.made()
            }
            _ => None,
        }
    }

    /// Whether a chain of methods lends a part of a place, or its items.
    pub(super) fn is_lending(&self, chain: &Expr) -> bool {
        self.lending(chain).is_some()
    }

    /// Whether a chain of methods lends one part of a place.
    pub(super) fn lends_a_part(&self, chain: &Expr) -> bool {
        self.lending(chain).is_some_and(|chain| chain.gives_part)
    }

    /// Whether the expression is a place, or what a chain of methods lends of one to be looked at.
    pub(super) fn lends_to_look(&self, chain: &Expr) -> bool {
        self.lending(chain).is_some_and(|chain| chain.gives_part && chain.is_shared)
    }

    /// What a key borrows that is lent by a chain itself: `name.as_str()`.
    pub(super) fn lent_key(&self, key: &ExprMethodCall) -> Option<Vec<Expr>> {
        let chain = self.lending_call(key).filter(|chain| chain.gives_part && chain.is_shared)?;
        Some([vec![chain.place.clone()], chain.keys?].concat())
    }

    /// Whether the expression lends what can be changed.
    pub(super) fn lends_to_change(&self, chain: &Expr) -> bool {
        self.lending(chain).is_some_and(|chain| chain.gives_part && !chain.is_shared)
    }

    /// Whether a chain of methods lends items that can be changed.
    pub(super) fn lends_items_to_change(&self, chain: &Expr) -> bool {
        self.lending(chain).is_some_and(|chain| !(chain.gives_part || chain.is_shared))
    }

    fn opened(&self, value: &Expr) -> Option<Expr> {
        let lent = self.lent(value)?;
        Some(made("opened", &lent, value))
    }

    fn lending<'e>(&self, expr: &'e Expr) -> Option<Chain<'e>> {
        match expr {
            Expr::Paren(expr) => self.lending(&expr.expr),
            Expr::MethodCall(call) => self.lending_call(call),
            Expr::Try(expr) if self.is_taken_out_of(tried(expr)) => None,
            Expr::Try(expr) => {
                let mut chain = self.lending(tried(expr)).filter(|chain| chain.gives_part)?;
                chain.again = made("opened", &chain.again, tried(expr));
                Some(chain)
            }
            place if self.is_place(place) => Some(Chain {
                place,
                keys: Some(Vec::new()),
                is_shared: true,
                gives_part: true,
                has_numbers: false,
                again: place.clone(),
            }),
            Expr::Field(field) => {
                let mut chain = self.lending(&field.base).filter(|chain| chain.gives_part)?;
                let base = Box::new(chain.again);
                chain.again = Expr::Field(ExprField { base, ..field.clone() });
                Some(chain)
            }
            Expr::Index(expr) if !self.is_changing_text(&expr.expr) => {
                let mut chain =
                    self.lending(&expr.expr).filter(|it| it.gives_part && it.is_shared)?;
                let keys = self.keys(&expr.index);
                chain.keys = chain.keys.zip(keys).map(|(all, more)| [all, more].concat());
                let base = Box::new(chain.again);
                chain.again = Expr::Index(ExprIndex { expr: base, ..expr.clone() });
                Some(chain)
            }
            _ => None,
        }
    }

    fn lending_call<'e>(&self, call: &'e ExprMethodCall) -> Option<Chain<'e>> {
        if self.is_changing_text(&call.receiver) && part_of_text(call, Shape::Lent).is_some() {
            return None;
        }
        let mut chain = self.lending(&call.receiver)?;
        let has_items = !chain.gives_part;
        let (looks, picks) = (is_one_of(&LOOKING, call), is_one_of(&PICKING, call));
        let is_first = self.is_place(&call.receiver);
        let opens = is_one_of(&OPENING, call);
        if opens && self.is_taken_out_of(&call.receiver) {
            return None;
        }
        let has_default = is_one_of(&DEFAULTING, call) && chain.is_shared && !is_first;
        let sifts = is_one_of(&SIFTING, call) && chain.is_shared && !is_first;
        let projects = projects(call, chain.has_numbers) && chain.is_shared && !is_first;
        let adapts = has_items && (is_one_of(&ADAPTING, call) || sifts);
        chain.has_numbers |= call.method == "enumerate";
        // `last` is a method of lists, too.
        chain.gives_part = opens
            || has_items && (looks || picks || projects && call.method == "find_map")
            || !has_items
                && (has_default
                    || sifts && call.method == "filter"
                    || projects
                    || gives_part(call));
        let has_more = has_items && projects;
        if !(chain.gives_part || adapts || has_more || !has_items && is_one_of(&ITEMS, call)) {
            return None;
        }
        // What can be changed is lent by collections only, each of what the one before it lends.
        let changes = !shares(call);
        if changes {
            if chain.is_shared && !is_first {
                return None;
            }
            chain.again = self.lender(chain.again, is_first);
            chain.is_shared = false;
        }
        // What looks for something else once that has been changed.
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

    /// What a method is called on to lend what can be changed: a `place`, or what has been lent.
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
    /// The chain as it is made again: rustc is told that the place and the keys are borrowed as long as
    /// what it gives, whatever the methods are.
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

/// What a `?` opens, without the error that it returns with.
pub(super) fn tried(expr: &ExprTry) -> &Expr {
    let mut tried = &*expr.expr;
    while let Expr::MethodCall(call) = tried
        && is_one_of(&EXPLAINING, call)
    {
        tried = &call.receiver;
    }
    tried
}
