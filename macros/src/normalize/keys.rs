//! What a method is asked with that lends a part of a local: keys, indices and closures.

use quote::ToTokens;
use syn::spanned::Spanned;
use syn::{Expr, ExprMethodCall, Ident, UnOp};

use super::lending::{
    ADAPTING, DEFAULTING, ITEMS, LOOKING, OPENING, PARTS, PARTS_MUT, PICKING, is_one_of, tried,
};
use super::projections::projects;
use super::{Lower, operands};
use crate::hygiene::Names;
use crate::usage::{self, Usage};

impl Lower<'_> {
    /// What an argument borrows, if it means the same as long as that stays as it is.
    pub(super) fn keys(&self, arg: &Expr) -> Option<Vec<Expr>> {
        match arg {
            arg if operands::is_constant(self, arg) && !matches!(arg, Expr::Closure(_)) => {
                Some(Vec::new())
            }
            Expr::Reference(key) => {
                let is_place = key.mutability.is_none() && self.is_place(&key.expr);
                is_place.then(|| vec![(*key.expr).clone()])
            }
            Expr::Closure(_) => {
                let mentions = Usage::of_expr(&self.locals, arg).mentions;
                // The time is another one after an await.
                (!self.asks_context(arg)).then_some(())?;
                Some(mentions.into_iter().map(|local| self.path(local)).collect())
            }
            Expr::MethodCall(key) => self.lent_key(key),
            arg => self.is_fixed(arg).then(Vec::new),
        }
    }

    /// Whether an argument is the same whenever it is evaluated: a literal, a constant, a function, or a
    /// number that nothing changes.
    pub(super) fn is_fixed(&self, arg: &Expr) -> bool {
        let unchanged = |path: &syn::ExprPath| {
            let local = path.path.get_ident().and_then(|ident| self.locals.find(ident));
            local.is_none_or(|local| {
                let local = &self.locals[local];
                !local.mutable || local.is_temporary
            })
        };
        match arg {
            Expr::Lit(_) => true,
            Expr::Path(path) => unchanged(path),
            Expr::Reference(expr) => expr.mutability.is_none() && self.is_fixed(&expr.expr),
            Expr::Range(range) => {
                let mut ends = range.start.iter().chain(&range.end);
                ends.all(|end| self.is_fixed(end))
            }
            Expr::Call(call) => is_copy(call) && call.args.iter().all(|arg| self.is_fixed(arg)),
            _ => false,
        }
    }

    /// Whether a closure gives the same whenever it is asked, as far as what it names shows.
    pub(super) fn is_fixed_closure(&self, arg: &Expr) -> bool {
        let mentions = || Usage::of_expr(&self.locals, arg).mentions;
        matches!(arg, Expr::Closure(_))
            && mentions().iter().all(|id| !self.locals[*id].mutable)
            && !self.asks_context(arg)
    }

    /// Whether an expression names the context, itself or in a closure that is made again.
    pub(super) fn asks_context(&self, expr: &Expr) -> bool {
        let Some(context) = &self.context else { return false };
        let asks = |expr: &Expr| Names::of(expr.to_token_stream()).has(&context.to_string());
        let made_of = Usage::of_expr(&self.locals, expr).mentions.into_iter();
        let mut made_of = made_of.flat_map(|local| usage::made_of(&self.locals, local));
        asks(expr) || made_of.any(|local| self.locals[local].remade.as_ref().is_some_and(asks))
    }

    /// Keeps what a chain looks for in variables of their own, so that it lends the same part again.
    pub(super) fn keep_found(&mut self, value: Expr) -> Expr {
        match value {
            value if self.fills(&value) => self.fill(value),
            value if ends_in_part(&value) => self.keep_in(value),
            Expr::Tuple(mut tuple) => {
                for value in &mut tuple.elems {
                    *value = self.keep_found(std::mem::replace(value, Expr::PLACEHOLDER));
                }
                Expr::Tuple(tuple)
            }
            value => value,
        }
    }

    /// Keeps what the methods of a chain look for.
    pub(super) fn keep_in(&mut self, value: Expr) -> Expr {
        match value {
            Expr::Paren(mut expr) => {
                *expr.expr = self.keep_in(*expr.expr);
                Expr::Paren(expr)
            }
            Expr::Try(mut expr) => {
                *expr.expr = self.keep_in(*expr.expr);
                Expr::Try(expr)
            }
            Expr::Reference(mut expr) => {
                *expr.expr = self.keep_in(*expr.expr);
                Expr::Reference(expr)
            }
            Expr::Field(mut expr) => {
                *expr.base = self.keep_in(*expr.base);
                Expr::Field(expr)
            }
            Expr::Index(mut expr) if self.is_place(&expr.expr) => {
                self.keep_key(&mut expr.index);
                Expr::Index(expr)
            }
            Expr::MethodCall(mut call)
                if is_one_of(&LOOKING, &call) && self.lends_items_to_change(&call.receiver) =>
            {
                *call.receiver = self.keep_in(*call.receiver);
                self.keep_place(call)
            }
            Expr::MethodCall(mut call) => {
                *call.receiver = self.keep_in(*call.receiver);
                let finds = [&PARTS[..], &PARTS_MUT, &ITEMS, &ADAPTING, &PICKING];
                if finds.iter().any(|methods| is_one_of(methods, &call))
                    && self.is_lending(&call.receiver)
                {
                    self.keep_arguments(&mut call);
                }
                Expr::MethodCall(call)
            }
            value => value,
        }
    }

    /// Keeps where the item is that a method finds among those that can be changed: a look at them might find
    /// another one after that. `iter_mut().find(looks)` becomes `iter_mut().nth(place)`.
    fn keep_place(&mut self, call: ExprMethodCall) -> Expr {
        let ExprMethodCall { receiver, method, args, .. } = &call;
        let function = Ident::new(&format!("place_of_{method}"), method.span());
        let place = syn::parse_quote_spanned!(method.span()=> ::piton::__private::#function(#receiver, #args));
        self.borrowed += 1;
        let place = self.spill(place);
        let method = Ident::new("nth", method.span());
        let args = std::iter::once(place).collect();
        Expr::MethodCall(ExprMethodCall { method, args, ..call })
    }

    /// Keeps what a method is told. The range that a map is asked for takes its ends, so those are copied.
    pub(super) fn keep_arguments(&mut self, call: &mut ExprMethodCall) {
        let takes_ends = call.method == "range" || call.method == "range_mut";
        for arg in &mut call.args {
            self.keep_key(arg);
            if let (Expr::Range(range), true) = (arg, takes_ends) {
                let ends = range.start.iter_mut().chain(&mut range.end);
                for end in ends.filter(|end| matches!(***end, Expr::Path(_))) {
                    let copied: Expr = syn::parse_quote_spanned!(end.span()=> ::piton::__private::copy_of_key(&#end));
                    **end = copied;
                }
            }
        }
    }

    pub(super) fn keep_key(&mut self, key: &mut Expr) {
        let is_place = |expr: &Expr| self.is_place(expr) || operands::is_constant(self, expr);
        match key {
            key if self.is_fixed(key) => {}
            // A range is not `Copy`, its ends are.
            Expr::Range(range) => {
                range.start.iter_mut().chain(&mut range.end).for_each(|end| self.keep_key(end));
            }
            Expr::Closure(_) => {}
            Expr::MethodCall(lent) if self.lent_key(lent).is_some() => {}
            Expr::Reference(key) if is_place(&key.expr) => {}
            Expr::Reference(key) => self.keep_borrowed(&mut key.expr),
            key => self.keep_value(key),
        }
    }

    /// Keeps what is dereferenced, which may be a `str` then, as no local can be.
    fn keep_borrowed(&mut self, value: &mut Expr) {
        match value {
            Expr::Paren(value) => self.keep_borrowed(&mut value.expr),
            Expr::Unary(value) if matches!(value.op, UnOp::Deref(_)) => {
                self.keep_borrowed(&mut value.expr);
            }
            value => self.keep_value(value),
        }
    }

    fn keep_value(&mut self, value: &mut Expr) {
        self.borrowed += 1;
        *value = self.spill(std::mem::replace(value, Expr::PLACEHOLDER));
    }
}

/// Whether the call is one that the compiler has made to copy a key.
fn is_copy(call: &syn::ExprCall) -> bool {
    let Expr::Path(path) = &*call.func else { return false };
    let mut segments = path.path.segments.iter().map(|segment| &segment.ident);
    path.path.leading_colon.is_some() && segments.any(|name| name == "copy_of_key")
}

/// Whether the expression may lend a part of something.
fn ends_in_part(value: &Expr) -> bool {
    match value {
        Expr::Paren(expr) => ends_in_part(&expr.expr),
        Expr::Try(expr) => ends_in_part(tried(expr)),
        Expr::MethodCall(call) if is_one_of(&OPENING, call) => ends_in_part(&call.receiver),
        Expr::MethodCall(call) => {
            let part = [&PARTS[..], &PARTS_MUT, &PICKING, &LOOKING, &DEFAULTING];
            part.iter().any(|methods| is_one_of(methods, call))
                || call.method == "filter"
                || projects(call, false)
        }
        Expr::Reference(expr) => matches!(*expr.expr, Expr::Field(_) | Expr::Index(_)),
        _ => false,
    }
}
