//! Receivers that are borrowed after the awaits in the arguments, as in rustc's two-phase borrows: `lines.last_mut()`,
//! `map.entry(key).or_default()`, `notes.get_or_insert_default()`.
//!
//! Such a chain borrows a part of a local for one call. No other code can access the local until then, so a missing
//! entry may be inserted after the await. A missing part panics before the await, as in the source.

use syn::{Expr, ExprMethodCall};

use super::entries::FILLING_OPTIONS;
use super::interference::Changed;
use crate::collections::sets::Set;
use crate::ir::usage::{Place, Usage};
use crate::lower::Lower;
use crate::lower::borrows::Borrows;
use crate::syntax::forms::{is_made, is_range};
use crate::syntax::macros;
use crate::syntax::methods::{Fact, is, is_one_of, joins, named};

/// Methods that yield items by value.
const OWN_ITEMS: [&str; 6] =
    ["bytes", "char_indices", "chars", "into_iter", "into_keys", "into_values"];

/// Iterator adapters that do nothing until `next` is called.
const LAZY: [&str; 10] = [
    "cloned",
    "copied",
    "filter",
    "filter_map",
    "flat_map",
    "inspect",
    "map",
    "map_while",
    "skip_while",
    "take_while",
];

/// The effect of a chain besides the borrow.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Deferred {
    /// Nothing.
    Lends,
    /// Panics if there is nothing to borrow.
    MayPanic,
    /// Inserts a value into a map or an `Option`.
    Fills,
}

impl Lower<'_> {
    /// Saves the arguments of a chain that is evaluated after later operands.
    pub(crate) fn save_deferred_arguments(&mut self, chain: Expr, changed: &Changed) -> Expr {
        match chain {
            Expr::MethodCall(mut call) => {
                *call.receiver = self.save_deferred_arguments(*call.receiver, changed);
                let joins = joins(&call);
                for arg in &mut call.args {
                    if joins && is_call(arg) {
                        *arg = self.save_deferred_arguments(
                            std::mem::replace(arg, Expr::PLACEHOLDER),
                            changed,
                        );
                    } else if !self.borrows().lasts(arg, changed) {
                        *arg = self.spill(std::mem::replace(arg, Expr::PLACEHOLDER));
                    }
                }
                Expr::MethodCall(call)
            }
            Expr::Field(mut expr) => {
                *expr.base = self.save_deferred_arguments(*expr.base, changed);
                Expr::Field(expr)
            }
            Expr::Paren(expr) if !is_range(&expr.expr) => {
                self.save_deferred_arguments(*expr.expr, changed)
            }
            value if is_made(&value) || is_range(&value) => {
                self.kept_temporaries += 1;
                self.spill(value)
            }
            place => place,
        }
    }
}

impl Borrows<'_> {
    /// The effect of the chain, if it can be evaluated after later operands.
    pub(crate) fn deferred(&self, chain: &Expr) -> Option<Deferred> {
        match chain {
            Expr::MethodCall(call) => self.deferred_call(call),
            Expr::Field(expr) => self.deferred(&expr.base),
            Expr::Paren(expr) => self.deferred(&expr.expr),
            place => self.is_place(place).then_some(Deferred::Lends),
        }
    }

    fn deferred_call(&self, call: &ExprMethodCall) -> Option<Deferred> {
        let method = call.method.to_string();
        let receiver = match &*call.receiver {
            Expr::MethodCall(receiver) => Some(receiver),
            _ => None,
        };
        match method.as_str() {
            "unwrap" | "expect" => {
                let lends = self.deferred_call(receiver?)? != Deferred::Fills;
                (lends && self.are_constant(call)).then_some(Deferred::MayPanic)
            }
            "entry" => {
                let is_entry =
                    call.args.len() == 1 && self.deferred(&call.receiver)? != Deferred::MayPanic;
                is_entry.then_some(Deferred::Lends)
            }
            method if named(method, Fact::Inserts) => {
                let entry = receiver.filter(|entry| gives_entry(entry))?;
                self.deferred_call(entry)?;
                call.args.iter().all(is_empty).then_some(Deferred::Fills)
            }
            method if FILLING_OPTIONS.contains(&method) => {
                let fills = self.is_place(&call.receiver) && call.args.iter().all(is_empty);
                fills.then_some(Deferred::Fills)
            }
            method if named(method, Fact::PartMut) => {
                let finds = call.args.iter().all(|arg| self.is_key(arg));
                finds.then(|| self.deferred(&call.receiver)).flatten()
            }
            _ => self.has_late_items(call).then_some(Deferred::Lends),
        }
    }

    /// Whether a call returns a lazy iterator whose items can be found after later operands.
    fn has_late_items(&self, call: &ExprMethodCall) -> bool {
        let are_late = call.args.iter().all(|arg| self.is_late_argument(call, arg));
        let receiver = &*call.receiver;
        let begins = is(call, Fact::Items) || is_one_of(&OWN_ITEMS, call);
        let goes_on = joins(call) || is(call, Fact::Adapts) || is_one_of(&LAZY, call);
        are_late
            && (begins && (self.deferred(receiver) == Some(Deferred::Lends) || is_made(receiver))
                || goes_on && (is_range(receiver) || self.are_late_items(receiver)))
    }

    fn are_late_items(&self, items: &Expr) -> bool {
        matches!(items, Expr::MethodCall(call) if self.has_late_items(call))
    }

    /// Whether an argument of a lazy iterator may be evaluated after later operands, once it is saved.
    fn is_late_argument(&self, call: &ExprMethodCall, arg: &Expr) -> bool {
        match arg {
            Expr::Closure(closure) => closure.asyncness.is_none(),
            arg if is_call(arg) && joins(call) => self.are_late_items(arg),
            arg => self.is_key(arg),
        }
    }

    /// The places that a deferred chain names once its arguments are saved.
    pub(crate) fn named_by_deferred(&self, chain: &Expr, changed: &Changed) -> Set<Place> {
        match chain {
            Expr::MethodCall(call) => {
                let mut named = self.named_by_deferred(&call.receiver, changed);
                for arg in &call.args {
                    if joins(call) && is_call(arg) {
                        named.extend(self.named_by_deferred(arg, changed));
                    } else if self.lasts(arg, changed) {
                        named.extend(Usage::of_expr(self.locals, arg).named());
                    }
                }
                named
            }
            Expr::Field(expr) if !self.is_place(chain) => {
                self.named_by_deferred(&expr.base, changed)
            }
            Expr::Paren(expr) => self.named_by_deferred(&expr.expr, changed),
            place => Usage::of_expr(self.locals, place).named(),
        }
    }

    /// Whether an argument of a deferred chain needs no saving, because it does not change.
    fn lasts(&self, arg: &Expr, changed: &Changed) -> bool {
        match arg {
            Expr::Path(_) => self.is_stable_value(arg, changed),
            Expr::Reference(_) => true,
            _ => self.never_changes(arg) || is_empty(arg),
        }
    }

    fn are_constant(&self, call: &ExprMethodCall) -> bool {
        call.args.iter().all(|arg| self.never_changes(arg))
    }

    /// Whether a saved argument finds the same part at any time.
    fn is_key(&self, arg: &Expr) -> bool {
        match arg {
            Expr::Reference(arg) => arg.mutability.is_none() && self.is_place(&arg.expr),
            Expr::MethodCall(_) | Expr::Closure(_) | Expr::Range(_) => false,
            _ => true,
        }
    }
}

/// Whether the chain iterates over a borrowed collection.
pub(crate) fn borrows_items(chain: &Expr) -> bool {
    match chain {
        Expr::MethodCall(call) => is(call, Fact::Items) || borrows_items(&call.receiver),
        _ => false,
    }
}

/// Whether the call returns an entry of a map, whose value may be changed.
fn gives_entry(call: &ExprMethodCall) -> bool {
    call.method == "entry"
}

/// Whether the argument is a chain of methods: `b.iter()` in `a.iter().chain(b.iter())`.
fn is_call(arg: &Expr) -> bool {
    matches!(arg, Expr::MethodCall(_))
}

/// Whether the expression creates an empty value, or names a function that may.
fn is_empty(arg: &Expr) -> bool {
    match arg {
        Expr::Lit(_) | Expr::Path(_) => true,
        Expr::Call(call) => call.args.is_empty() && matches!(*call.func, Expr::Path(_)),
        Expr::Macro(call) => call.mac.tokens.is_empty() && macros::name(&call.mac) == "vec",
        _ => false,
    }
}
