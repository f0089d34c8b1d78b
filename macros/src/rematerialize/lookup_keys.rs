//! Arguments of lookups: keys, indices and closures. The machine saves them, so that the lookup finds the same part
//! again.

use quote::ToTokens;
use syn::spanned::Spanned;
use syn::visit_mut::VisitMut;
use syn::{Expr, ExprMethodCall, Ident, Pat, UnOp};

use crate::ir::usage::Usage;
use crate::ir::{LocalId, Stmt, usage};
use crate::lower::Lower;
use crate::lower::borrows::Borrows;
use crate::syntax::calls::only_wraps;
use crate::syntax::hygiene::Names;
use crate::syntax::methods::{Fact, is, is_any, tried};
use crate::syntax::operators::is_element;
use crate::syntax::patterns::has_ref;
use crate::syntax::suspend;
use crate::values::projections::projects;

impl Lower<'_> {
    /// Saves the keys of the lookups in `value` that the patterns borrow from.
    pub(crate) fn save_keys_for(&mut self, pats: &[&Pat], value: Expr) -> Expr {
        let is_borrowed = is_element(&value) && pats.iter().any(|pat| has_ref(pat));
        if is_borrowed { self.save_keys_of_chain(value) } else { self.save_keys(value) }
    }

    /// Saves the keys of the lookups in `value`, and emits its insertions.
    pub(crate) fn save_keys(&mut self, value: Expr) -> Expr {
        match value {
            value if self.borrows().may_insert(&value) => self.insert_missing(value),
            value if ends_in_part(&value) => self.save_keys_of_chain(value),
            mut value => {
                let parts = match &mut value {
                    Expr::Tuple(tuple) => Some(&mut tuple.elems),
                    Expr::Array(array) => Some(&mut array.elems),
                    Expr::Call(call) if only_wraps(&call.func) => Some(&mut call.args),
                    _ => None,
                };
                for part in parts.into_iter().flatten() {
                    *part = self.save_keys(std::mem::replace(part, Expr::PLACEHOLDER));
                }
                value
            }
        }
    }

    /// Saves the keys of the methods of a chain.
    pub(crate) fn save_keys_of_chain(&mut self, value: Expr) -> Expr {
        match value {
            Expr::Paren(mut expr) => {
                *expr.expr = self.save_keys_of_chain(*expr.expr);
                Expr::Paren(expr)
            }
            Expr::Try(mut expr) => {
                *expr.expr = self.save_keys_of_chain(*expr.expr);
                Expr::Try(expr)
            }
            Expr::Reference(mut expr) => {
                *expr.expr = self.save_keys_of_chain(*expr.expr);
                Expr::Reference(expr)
            }
            Expr::Field(mut expr) => {
                *expr.base = self.save_keys_of_chain(*expr.base);
                Expr::Field(expr)
            }
            Expr::Index(mut expr) if self.borrows().is_shared_lookup(&expr.expr) => {
                *expr.expr = self.save_keys_of_chain(*expr.expr);
                self.leave_before(&expr.expr, [&*expr.index]);
                self.save_key(&mut expr.index);
                Expr::Index(expr)
            }
            Expr::MethodCall(mut call)
                if is(&call, Fact::Searches)
                    && self.borrows().yields_mutable_items(&call.receiver) =>
            {
                *call.receiver = self.save_keys_of_chain(*call.receiver);
                self.save_position(call)
            }
            Expr::MethodCall(mut call) => {
                *call.receiver = self.save_keys_of_chain(*call.receiver);
                let finds =
                    [Fact::Part, Fact::PartMut, Fact::Items, Fact::Adapts, Fact::Positional];
                if is_any(&call, &finds) && self.borrows().is_lookup(&call.receiver) {
                    self.leave_before(&call.receiver, &call.args);
                    self.save_arguments(&mut call);
                }
                Expr::MethodCall(call)
            }
            value => value,
        }
    }

    /// Saves the keys of the lookup that the branches match, so that their values can be rematerialized from it.
    pub(crate) fn save_keys_of_scrutinee(&mut self, value: &mut Expr) {
        let decided = match value {
            Expr::Match(expr) => &mut *expr.expr,
            Expr::If(expr) => match first_mut(&mut expr.cond) {
                Expr::Let(cond) => &mut *cond.expr,
                _ => return,
            },
            _ => return,
        };
        if matches!(decided, Expr::MethodCall(_) | Expr::Reference(_))
            && self.borrows().borrows_by_lookup(decided)
        {
            let chain = std::mem::replace(decided, Expr::PLACEHOLDER);
            *decided = self.without_temporaries(None, |this| {
                let chain = if suspend::expr(&chain) { this.hoist(chain) } else { chain };
                let before = this.kept_temporaries;
                let chain = this.save_keys(chain);
                this.kept_temporaries = before;
                chain
            });
        }
    }

    /// Saves the position of the item that a search among mutable items finds: another search, after the item was
    /// changed, might find another one. `iter_mut().find(looks)` becomes `iter_mut().nth(place)`.
    fn save_position(&mut self, call: ExprMethodCall) -> Expr {
        let ExprMethodCall { receiver, method, args, .. } = &call;
        let function = Ident::new(&format!("place_of_{method}"), method.span());
        let place = syn::parse_quote_spanned!(method.span()=> ::piton::__private::#function(#receiver, #args));
        self.kept_temporaries += 1;
        let place = self.spill(place);
        let method = Ident::new("nth", method.span());
        let args = std::iter::once(place).collect();
        Expr::MethodCall(ExprMethodCall { method, args, ..call })
    }

    /// Saves the arguments of a lookup. `range` takes the ends of a range by value, so they are copied.
    pub(crate) fn save_arguments(&mut self, call: &mut ExprMethodCall) {
        let takes_ends = call.method == "range" || call.method == "range_mut";
        for arg in &mut call.args {
            self.save_key(arg);
            if let (Expr::Range(range), true) = (arg, takes_ends) {
                let ends = range.start.iter_mut().chain(&mut range.end);
                for end in ends.filter(|end| matches!(***end, Expr::Path(_))) {
                    let copied: Expr = syn::parse_quote_spanned!(end.span()=> ::piton::__private::copy_of_key(&#end));
                    **end = copied;
                }
            }
        }
    }

    /// Evaluates the chain before its next key if `?` may leave the expression and the key has effects.
    fn leave_before<'k>(&mut self, chain: &Expr, keys: impl IntoIterator<Item = &'k Expr>) {
        if may_leave(chain) && keys.into_iter().any(acts) {
            self.look_at(chain);
        }
    }

    pub(crate) fn save_key(&mut self, key: &mut Expr) {
        let is_place =
            |expr: &Expr| self.borrows().is_place(expr) || self.borrows().never_changes(expr);
        match key {
            key if self.borrows().is_fixed(key) => {}
            // A range is not `Copy`, but its ends may be.
            Expr::Range(range) => {
                range.start.iter_mut().chain(&mut range.end).for_each(|end| self.save_key(end));
            }
            Expr::Closure(_) => {}
            Expr::MethodCall(lent) if self.borrows().borrowed_by_key(lent).is_some() => {}
            Expr::Reference(key) if is_place(&key.expr) => {}
            Expr::Reference(key) => self.save_dereferenced(&mut key.expr),
            key => self.save_value(key),
        }
    }

    /// Saves the operand of a dereference: its target may be unsized, such as `str`.
    pub(crate) fn save_dereferenced(&mut self, value: &mut Expr) {
        match value {
            Expr::Paren(value) => self.save_dereferenced(&mut value.expr),
            Expr::Unary(value) if matches!(value.op, UnOp::Deref(_)) => {
                self.save_dereferenced(&mut value.expr);
            }
            // The base may change, or the part may not be `Copy`.
            part @ (Expr::Index(_) | Expr::Field(_)) => {
                *part = syn::parse_quote_spanned!(part.span()=> ::piton::__private::copy_of_key(&#part));
                self.save_value(part);
            }
            value => self.save_value(value),
        }
    }

    /// Replaces the temporaries that a lookup uses as keys by locals that outlive `stmts`:
    /// `accounts.get(&owner(id).await)`. Returns `None` if the lookup borrows from a temporary itself, which ends with
    /// `stmts`.
    pub(crate) fn with_lasting_keys(
        &mut self,
        chain: &Expr,
        stmts: &mut Vec<Stmt>,
    ) -> Option<Expr> {
        let is_element = matches!(chain, Expr::Reference(part) if is_element(&part.expr) && self.borrows().is_place(&part.expr));
        (is_element || self.borrows().lookup_of(chain).is_some()).then_some(())?;
        let found = Usage::of_expr(&self.locals, chain).mentions.into_iter();
        let keys: Vec<_> = found.filter(|local| self.locals[*local].is_temporary).collect();
        let lender = chain_root(chain).and_then(|ident| self.locals.find(ident));
        let can_stay =
            |key: &LocalId| Some(*key) != lender && !self.locals[*key].is_rematerialized();
        if !keys.iter().all(can_stay) {
            return None;
        }
        let mut chain = chain.clone();
        for key in keys {
            let value = self.locals.path(key);
            let local = self.temporary(&value);
            self.locals[local].identity.bound_by = self.locals[key].identity.bound_by;
            self.locals[local].identity.used_by = self.locals[key].identity.used_by;
            let (old, new) = (self.locals[key].ident.clone(), self.locals[local].ident.clone());
            Renamed(&old, &new).visit_expr_mut(&mut chain);
            self.push(Stmt::Declare(local));
            stmts.push(Stmt::Define { local, value });
        }
        Some(chain)
    }

    fn save_value(&mut self, value: &mut Expr) {
        self.kept_temporaries += 1;
        let kept = self.opaque(std::mem::replace(value, Expr::PLACEHOLDER));
        *value = self.spill(kept);
    }
}

impl Borrows<'_> {
    /// The places that a key borrows, if the key keeps its value while they are unchanged.
    pub(crate) fn keys(&self, arg: &Expr) -> Option<Vec<Expr>> {
        match arg {
            arg if self.never_changes(arg) && !matches!(arg, Expr::Closure(_)) => Some(Vec::new()),
            // `unwrap_or(&[])`
            Expr::Reference(_) if self.is_constant(arg) => Some(Vec::new()),
            Expr::Reference(key) => {
                let is_place = key.mutability.is_none() && self.is_place(&key.expr);
                is_place.then(|| vec![(*key.expr).clone()])
            }
            Expr::Closure(_) => {
                let mentions = Usage::of_expr(self.locals, arg).mentions;
                // The context has another time after an await.
                (!self.asks_context(arg)).then_some(())?;
                Some(mentions.into_iter().map(|local| self.locals.path(local)).collect())
            }
            Expr::MethodCall(key) => self.borrowed_by_key(key),
            Expr::Tuple(tuple) => {
                let parts = tuple.elems.iter().map(|part| self.keys(part));
                Some(parts.collect::<Option<Vec<_>>>()?.concat())
            }
            arg => self.is_fixed(arg).then(Vec::new),
        }
    }

    /// Whether a key always has the same value: a literal, a constant, a function, or a local that is not `mut`.
    pub(crate) fn is_fixed(&self, arg: &Expr) -> bool {
        let unchanged = |path: &syn::ExprPath| {
            let local = self.locals.of_path(&path.path);
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

    /// Whether all captures of a closure are unchanged, so that it always returns the same result.
    pub(crate) fn is_fixed_closure(&self, arg: &Expr) -> bool {
        let mentions = || Usage::of_expr(self.locals, arg).mentions;
        matches!(arg, Expr::Closure(_))
            && mentions().iter().all(|id| !self.locals[*id].mutable)
            && !self.asks_context(arg)
    }

    /// Whether an expression names the context, directly or through a rematerialized local.
    pub(crate) fn asks_context(&self, expr: &Expr) -> bool {
        let Some(context) = self.context else { return false };
        let asks = |expr: &Expr| Names::of(expr.to_token_stream()).has(&context.to_string());
        let sources_of = Usage::of_expr(self.locals, expr).mentions.into_iter();
        let mut sources_of = sources_of.flat_map(|local| usage::sources_of(self.locals, local));
        asks(expr)
            || sources_of.any(|local| self.locals[local].rematerialized_by().is_some_and(asks))
    }

    /// Whether the lookups in a value have keys that must be saved before the value can be rematerialized.
    pub(crate) fn has_unsaved_keys(&self, value: &Expr) -> bool {
        match value {
            Expr::Tuple(tuple) => tuple.elems.iter().any(|part| self.has_unsaved_keys(part)),
            Expr::Array(array) => array.elems.iter().any(|part| self.has_unsaved_keys(part)),
            Expr::Call(call) if only_wraps(&call.func) => {
                call.args.iter().any(|part| self.has_unsaved_keys(part))
            }
            Expr::Reference(part) if is_element(&part.expr) => !self.is_place(&part.expr),
            value => {
                let finds = || self.borrows_by_lookup(value) || self.finds_mutable_item(value);
                self.may_insert(value)
                    || ends_in_part(value) && finds() && self.lookup_of(value).is_none()
            }
        }
    }
}

/// Whether a chain leaves the expression, by `?` or a panic, if it finds nothing.
fn may_leave(chain: &Expr) -> bool {
    match chain {
        Expr::Try(_) => true,
        Expr::MethodCall(call) => is(call, Fact::Unwraps) || may_leave(&call.receiver),
        Expr::Field(expr) => may_leave(&expr.base),
        Expr::Index(expr) => may_leave(&expr.expr),
        Expr::Paren(expr) => may_leave(&expr.expr),
        _ => false,
    }
}

/// Whether evaluating the key may have effects.
fn acts(key: &Expr) -> bool {
    match key {
        Expr::Reference(key) => acts(&key.expr),
        Expr::Paren(key) => acts(&key.expr),
        Expr::Field(key) => acts(&key.base),
        Expr::Unary(key) => acts(&key.expr),
        Expr::Binary(key) => acts(&key.left) || acts(&key.right),
        Expr::Cast(key) => acts(&key.expr),
        Expr::Closure(_) | Expr::Lit(_) | Expr::Path(_) => false,
        _ => true,
    }
}

/// The operand of a condition that is evaluated first.
fn first_mut(mut cond: &mut Expr) -> &mut Expr {
    while matches!(cond, Expr::Binary(expr) if matches!(expr.op, syn::BinOp::And(_))) {
        let Expr::Binary(expr) = cond else { unreachable!() };
        cond = &mut expr.left;
    }
    cond
}

/// The local at the start of a chain of methods.
fn chain_root(chain: &Expr) -> Option<&Ident> {
    match chain {
        Expr::Path(path) => path.path.get_ident(),
        Expr::MethodCall(call) => chain_root(&call.receiver),
        Expr::Field(expr) => chain_root(&expr.base),
        Expr::Index(expr) => chain_root(&expr.expr),
        Expr::Paren(expr) => chain_root(&expr.expr),
        Expr::Reference(expr) => chain_root(&expr.expr),
        Expr::Try(expr) => chain_root(&expr.expr),
        Expr::Unary(expr) => chain_root(&expr.expr),
        _ => None,
    }
}

/// Renames a temporary.
struct Renamed<'i>(&'i Ident, &'i Ident);

impl VisitMut for Renamed<'_> {
    fn visit_ident_mut(&mut self, ident: &mut Ident) {
        if ident == self.0 {
            ident.clone_from(self.1);
        }
    }
}

/// Whether the call is a copy of a key that the compiler inserted.
fn is_copy(call: &syn::ExprCall) -> bool {
    let Expr::Path(path) = &*call.func else { return false };
    let mut segments = path.path.segments.iter().map(|segment| &segment.ident);
    let copies = |name: &Ident| name == "copy_of_key";
    path.path.leading_colon.is_some() && segments.any(copies)
}

/// Whether the expression may borrow a part of a value.
fn ends_in_part(value: &Expr) -> bool {
    match value {
        Expr::Paren(expr) => ends_in_part(&expr.expr),
        Expr::Try(expr) => ends_in_part(tried(expr)),
        Expr::MethodCall(call) if is(call, Fact::Unwraps) => ends_in_part(&call.receiver),
        Expr::MethodCall(call) => {
            let part =
                [Fact::Part, Fact::PartMut, Fact::Positional, Fact::Searches, Fact::Defaults];
            is_any(call, &part) || call.method == "filter" || projects(call, false)
        }
        Expr::Reference(expr) => matches!(*expr.expr, Expr::Field(_) | Expr::Index(_)),
        _ => false,
    }
}
