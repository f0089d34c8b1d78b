//! `for` loops over filtered or trimmed items of a borrowed local: `for line in order.lines.iter().filter(…)`, `for line
//! in text.lines().map(str::trim)`.
//!
//! ```text
//! for pat in list.iter().filter(keeps) { … }   →   for item in list.iter() {
//!                                                          if !keeps(&item) { continue; }
//!                                                          let pat = item;
//!                                                          …
//!                                                      }
//! ```
//!
//! An iterator evaluates its filter right before it yields an item, so the loop can do it. The underlying items can
//! then be found again by position.

use quote::quote_spanned;
use syn::spanned::Spanned;
use syn::{Block, Expr, ExprMethodCall, Ident, Pat, Stmt};

use crate::ir::LocalKind;
use crate::ir::usage::Usage;
use crate::lower::Lower;
use crate::lower::borrows::Borrows;
use crate::syntax::build::{ident_expr, ident_pat, let_stmt};
use crate::syntax::names::is_any_of;

const TRIMMING: [&str; 3] = ["trim", "trim_end", "trim_start"];

/// An adapter that the body of the loop applies instead of the iterator.
enum Adapter {
    /// Skips the items for which the function returns `false`.
    Filter(Expr),
    /// Trims the items, which are texts, by the method with this name.
    Trim(Ident),
    /// Ends the loop after this number of items.
    Take(Expr),
    /// Skips this number of items.
    Skip(Expr),
    /// Numbers the items. No filter follows it.
    Enumerate,
    /// Pairs each item with one of these values. The loop ends with the shorter side. No filter follows it.
    Zip(Expr),
}

impl Lower<'_> {
    /// Splits an iterable into a borrow and its adapters, and moves the adapters into the body.
    pub(crate) fn split_adapters(
        &mut self,
        iterable: Expr,
        pat: Pat,
        body: Block,
    ) -> (Expr, Pat, Block) {
        if self.borrows().lends(&iterable, true) {
            return (iterable, pat, body);
        }
        let mut adapters = Vec::new();
        match self.borrows().adapters_of(&iterable, &mut adapters) {
            Some(lent) => {
                self.check_values(&adapters, &body);
                // The borrow is evaluated before the arguments of the adapters.
                let lent = self.keep_lenders(lent);
                let (pat, body) = self.apply_adapters(adapters, &lent, pat, body);
                (lent, pat, body)
            }
            None => (iterable, pat, body),
        }
    }

    /// Reports zipped values whose evaluation before the loop is observable.
    fn check_values(&self, adapters: &[Adapter], body: &Block) {
        for adapter in adapters {
            if let Adapter::Zip(values) = adapter {
                self.check_zipped(values, adapters.len() == 1, body);
            }
        }
    }

    /// Applies the adapters at the start of the body.
    fn apply_adapters(
        &mut self,
        adapters: Vec<Adapter>,
        lent: &Expr,
        pat: Pat,
        body: Block,
    ) -> (Pat, Block) {
        let span = lent.span();
        let item = self.new_temporary(&self.name_of_pattern(&pat), LocalKind::Value, span);
        self.locals[item].mutable = false;
        let found = self.locals[item].ident.clone();
        let mut item = found.clone();
        let mut given = ident_expr(item.clone());
        let mut stmts: Vec<Stmt> = Vec::new();
        for adapter in adapters {
            match adapter {
                Adapter::Filter(looks) => stmts.push(syn::parse_quote_spanned! {span=>
                    if !::piton::__private::keeps(&#item, #looks) { continue; }
                }),
                Adapter::Trim(method) => {
                    let trimmed = self.new_temporary("trimmed", LocalKind::Value, span);
                    self.locals[trimmed].mutable = false;
                    let trimmed = self.locals[trimmed].ident.clone();
                    let value = syn::parse_quote_spanned!(span=> #item.#method());
                    stmts.push(let_stmt(ident_pat(trimmed.clone(), false), value));
                    given = ident_expr(trimmed.clone());
                    item = trimmed;
                }
                Adapter::Take(count) => {
                    let count = self.count(count);
                    // Before the filters.
                    let ends = syn::parse_quote_spanned!(span=> if #count == 0 { break; });
                    stmts.insert(0, ends);
                    stmts.push(syn::parse_quote_spanned!(span=> #count -= 1;));
                }
                Adapter::Skip(count) => {
                    let count = self.count(count);
                    stmts.push(syn::parse_quote_spanned! {span=>
                        if #count > 0 { #count -= 1; continue; }
                    });
                }
                Adapter::Zip(values) => {
                    let value = self.next_zipped(values, lent, &mut stmts);
                    given = syn::parse_quote_spanned!(span=> (#given, #value));
                }
                Adapter::Enumerate => {
                    let next = self.count(syn::parse_quote_spanned!(span=> 0));
                    let number = self.new_temporary("number", LocalKind::Value, span);
                    let number = self.locals[number].ident.clone();
                    let declared = ident_pat(number.clone(), false);
                    stmts.push(let_stmt(declared, ident_expr(next.clone())));
                    stmts.push(syn::parse_quote_spanned!(span=> #next += 1;));
                    given = syn::parse_quote_spanned!(span=> (#number, #given));
                }
            }
        }
        stmts.push(let_stmt(pat, given));
        stmts.extend(body.stmts);
        (ident_pat(found, false), Block { stmts, ..body })
    }

    /// A temporary for the next zipped value, set by a statement.
    fn next_zipped(&mut self, values: Expr, lent: &Expr, stmts: &mut Vec<Stmt>) -> Expr {
        let span = values.span();
        let (rest, value) = self.zipped(values, lent);
        stmts.push(syn::parse_quote_spanned! {span=>
            let ::core::option::Option::Some(#value) =
                ::core::iter::Iterator::next(&mut #rest) else { break };
        });
        value
    }

    /// Declares a counter with a start value.
    fn count(&mut self, start: Expr) -> Ident {
        let span = start.span();
        let count = self.new_temporary("count", LocalKind::Value, span);
        let declared = self.locals.pattern(count);
        let start =
            Expr::Verbatim(quote_spanned!(span=> ::core::convert::identity::<usize>(#start)));
        self.code(let_stmt(declared, start));
        self.locals[count].ident.clone()
    }
}

impl Borrows<'_> {
    /// The borrow at the start of a chain, and the adapters after it.
    fn adapters_of(&self, iterable: &Expr, adapters: &mut Vec<Adapter>) -> Option<Expr> {
        if self.lends(iterable, true) {
            return Some(iterable.clone());
        }
        match iterable {
            Expr::Paren(expr) => self.adapters_of(&expr.expr, adapters),
            Expr::MethodCall(call) if call.method == "rev" => {
                let lent = self.adapters_of(&call.receiver, adapters)?;
                let receiver = Box::new(lent);
                let reversed = Expr::MethodCall(ExprMethodCall { receiver, ..call.clone() });
                let has_no_order =
                    |adapter: &Adapter| matches!(adapter, Adapter::Filter(_) | Adapter::Trim(_));
                adapters.iter().all(has_no_order).then_some(reversed)
            }
            Expr::MethodCall(call) => {
                let lent = self.adapters_of(&call.receiver, adapters)?;
                let adapter = self.adapter(call)?;
                let is_paired = adapters
                    .iter()
                    .any(|adapter| matches!(adapter, Adapter::Enumerate | Adapter::Zip(_)));
                let takes_one = matches!(adapter, Adapter::Filter(_) | Adapter::Trim(_));
                adapters.push(adapter);
                (!takes_one || !is_paired).then_some(lent)
            }
            _ => None,
        }
    }

    fn adapter(&self, call: &ExprMethodCall) -> Option<Adapter> {
        let method = call.method.to_string();
        match (method.as_str(), call.args.first()) {
            ("filter", Some(looks)) if self.can_recreate(looks) => {
                Some(Adapter::Filter(looks.clone()))
            }
            ("map", Some(function)) => trim(function).map(Adapter::Trim),
            ("take", Some(count)) => Some(Adapter::Take(count.clone())),
            ("skip", Some(count)) => Some(Adapter::Skip(count.clone())),
            ("enumerate", None) => Some(Adapter::Enumerate),
            ("zip", Some(values)) => Some(Adapter::Zip(values.clone())),
            _ => None,
        }
    }

    /// Whether a function may be created anew for each item: a closure with `move` would have its own copies of mutable
    /// captures.
    fn can_recreate(&self, looks: &Expr) -> bool {
        match looks {
            Expr::Closure(closure) => {
                let mentions = Usage::of_expr(self.locals, looks).mentions;
                closure.capture.is_none() || mentions.iter().all(|id| !self.locals[*id].mutable)
            }
            Expr::Path(path) => self.locals.of_path(&path.path).is_none(),
            _ => false,
        }
    }
}

/// The method by which a function trims a text: `str::trim`, `|line| line.trim_end()`.
fn trim(function: &Expr) -> Option<Ident> {
    let method = match function {
        Expr::Path(path) => match &path.path.segments.iter().collect::<Vec<_>>()[..] {
            [ty, method] if ty.ident == "str" => &method.ident,
            _ => return None,
        },
        Expr::Closure(closure) => {
            let inputs: Vec<&Pat> = closure.inputs.iter().collect();
            let (Expr::MethodCall(call), [Pat::Ident(input)]) = (&*closure.body, &inputs[..])
            else {
                return None;
            };
            let is_input = |expr: &Expr| match expr {
                Expr::Path(path) => path.path.is_ident(&input.ident),
                _ => false,
            };
            if !is_input(&call.receiver) || !call.args.is_empty() || input.by_ref.is_some() {
                return None;
            }
            &call.method
        }
        _ => return None,
    };
    is_any_of(method, &TRIMMING).then(|| method.clone())
}
