//! Operands that are evaluated before another operand suspends.
//!
//! Such an operand is moved to a temporary, which is then saved, unless it can be evaluated after the suspension
//! instead: a literal, a constant, a borrow, or a local that nothing in between changes.

use quote::quote_spanned;
use syn::spanned::Spanned;
use syn::{Expr, ExprReference, UnOp};

use super::control;
use crate::diagnostics::rules::Rule;
use crate::ir::PointKind;
use crate::ir::locals::local_of;
use crate::ir::usage::Place;
use crate::lower::Lower;
use crate::lower::borrows::Borrows;
use crate::lower::operand::{Operand, operands_mut};
use crate::rematerialize::interference::Changed;
use crate::rematerialize::two_phase_borrows::{Deferred, borrows_items};
use crate::syntax::branches::awaits_in_branch;
use crate::syntax::build::{let_stmt, wild_pat};
use crate::syntax::conditions::chain;
use crate::syntax::fingerprint::Fingerprint;
use crate::syntax::forms::{gives_option, has_index, is_own, without_parens};
use crate::syntax::methods::{Fact, is};
use crate::syntax::suspend;

impl Lower<'_> {
    /// Hoists the awaits of a scrutinee.
    pub(crate) fn hoist_matched(&mut self, value: Expr) -> Expr {
        match value {
            Expr::Tuple(mut tuple) if tuple.elems.iter().any(suspend::expr) => {
                let parts = std::mem::take(&mut tuple.elems).into_iter();
                let parts = parts.map(|part| (part, Operand::Matched)).collect();
                let parts = self.sequence(self.locals.fingerprint(&tuple), parts);
                tuple.elems = parts.into_iter().collect();
                Expr::Tuple(tuple)
            }
            value => self.hoist(value),
        }
    }

    /// Emits the operands up to the last one that suspends, and returns the remaining expression of each. `around` is
    /// the fingerprint of the expression without its operands.
    pub(crate) fn sequence(
        &mut self,
        around: Fingerprint,
        operands: Vec<(Expr, Operand)>,
    ) -> Vec<Expr> {
        let count = operands.len();
        let places: Vec<_> = operands.iter().map(|operand| self.place_of(operand)).collect();
        let outer = self.user;
        let user = |index: usize| {
            let others = (0..count).filter(|other| *other != index);
            let others = others.map(|other| places[other]).filter(|it| *it != Fingerprint::NONE);
            others.fold(outer, Fingerprint::around).around(around.numbered(index + 1, count))
        };
        let last = operands.iter().rposition(|(operand, _)| suspend::expr(operand));
        let changed = self.changed_after(&operands, last);
        let mut left = Vec::with_capacity(operands.len());
        for (index, (operand, kind)) in operands.into_iter().enumerate() {
            left.push(match last {
                Some(last) if index < last => {
                    let is_chosen = suspend::expr(&operand) && control::has_parts(&operand);
                    let user = match &operand {
                        // The outcome of a call has the name of what was called.
                        Expr::Await(expr)
                            if self.name_of_future(&expr.base).1 == PointKind::Call =>
                        {
                            Fingerprint::NONE
                        }
                        _ => user(index),
                    };
                    self.used_by(user, |this| match this.hoist(operand) {
                        // A borrow that branches select is rematerialized.
                        operand @ Expr::If(_) if is_chosen => operand,
                        operand => this.stabilize(operand, kind, &changed[index]),
                    })
                }
                Some(last) if index == last => {
                    // The part of the operand that is not moved out lives until the statement ends.
                    let stays = is_kept(&operand, kind);
                    let operand = self.used_by(user(index), |this| match operand {
                        Expr::If(expr) if kind.is_value() => this.hoist_if(expr),
                        operand => this.hoist(operand),
                    });
                    if stays {
                        self.count_kept();
                    }
                    operand
                }
                _ => self.opaque(operand),
            });
        }
        left
    }

    /// The fingerprint of an operand that tells what the expression is about: a function that is called, the receiver of a
    /// method, or the place that is assigned to.
    fn place_of(&self, (operand, kind): &(Expr, Operand)) -> Fingerprint {
        match kind {
            Operand::Place | Operand::Receiver | Operand::Taken => self.locals.fingerprint(operand),
            _ => Fingerprint::NONE,
        }
    }

    /// Hoists only the condition of an `if`, if no branch awaits: in its original position, rustc knows the expected
    /// type of the branches.
    fn hoist_if(&mut self, expr: syn::ExprIf) -> Expr {
        let is_let = |operand: &&Expr| matches!(operand, Expr::Let(_));
        let has_let = chain(&expr.cond).iter().any(is_let);
        let whole = Expr::If(expr);
        if has_let || awaits_in_branch(&whole) {
            return self.hoist(whole);
        }
        let Expr::If(mut expr) = whole else { return whole };
        *expr.cond = self.simple_condition(*expr.cond);
        self.opaque(Expr::If(expr))
    }

    /// For each operand, the effects of the later operands, up to `last`.
    pub(crate) fn changed_after(
        &self,
        operands: &[(Expr, Operand)],
        last: Option<usize>,
    ) -> Vec<Changed> {
        let mut changed = vec![Changed::default(); operands.len()];
        let mut after = Changed::default();
        for (index, (operand, _)) in operands.iter().enumerate().rev() {
            changed[index].clone_from(&after);
            if last.is_some_and(|last| index <= last) {
                after.note(&self.locals, operand);
            }
        }
        changed
    }

    /// Makes `operand`, which does not suspend, independent of the later operands: moves its value to a temporary
    /// unless they cannot change it.
    pub(crate) fn stabilize(&mut self, operand: Expr, kind: Operand, changed: &Changed) -> Expr {
        if self.borrows().is_unchanged(&operand, changed) {
            return operand;
        }
        match operand {
            Expr::Reference(expr) => {
                let place = Box::new(self.stabilize_place(*expr.expr, changed));
                Expr::Reference(ExprReference { expr: place, ..expr })
            }
            // A wrapper of borrows is created after the later operands.
            mut operand if kind.is_value() && self.borrows().wraps_borrows(&operand) => {
                for (part, _) in operands_mut(&mut operand).unwrap_or_default() {
                    let borrow = std::mem::replace(part, Expr::PLACEHOLDER);
                    *part = self.stabilize(borrow, Operand::Value, changed);
                }
                operand
            }
            operand if kind.is_value() => {
                if self.borrows().is_stable_value(&operand, changed) {
                    return operand;
                }
                let operand = self.keep_receiver(operand);
                match kind {
                    Operand::Matched => {
                        // Its keys may outlive the statement.
                        let before = self.kept_temporaries;
                        let found = self.spill_found(operand);
                        self.kept_temporaries = before;
                        found
                    }
                    _ => self.spill_lent(operand),
                }
            }
            // rustc lets no code change or move a borrowed place, so the place must be `Copy`, and is copied.
            operand
                if kind != Operand::Place
                    && (self.borrows().is_written(&operand, changed)
                        || self.borrows().is_spent(&operand, changed)) =>
            {
                self.spill(operand)
            }
            operand => {
                if matches!(kind, Operand::Compared | Operand::Receiver | Operand::Taken)
                    && self.borrows().is_called(&operand, changed)
                {
                    self.check_stays(&operand);
                }
                self.stabilize_place(operand, changed)
            }
        }
    }

    /// As [`stabilize`](Self::stabilize), for an operand that is used as a place.
    fn stabilize_place(&mut self, place: Expr, changed: &Changed) -> Expr {
        let has_index = has_index(&place);
        let place = self.stabilize_parts(place, changed);
        if has_index {
            // An index out of bounds panics before the later operands are evaluated.
            let mut looked_at = place.clone();
            self.borrows().copy_indices(&mut looked_at);
            self.look_at(&looked_at);
        }
        place
    }

    fn stabilize_parts(&mut self, place: Expr, changed: &Changed) -> Expr {
        match place {
            // A `mut` text may be assigned another text; the operand borrows from the current one.
            Expr::Path(_)
                if self.borrows().is_changing_text(&place)
                    && self.borrows().is_written(&place, changed) =>
            {
                self.spill(place)
            }
            Expr::Path(_) => place,
            Expr::Paren(mut expr) => match self.stabilize_parts(*expr.expr, changed) {
                // Without parentheses, a following method call would bind tighter than the dereference.
                place @ Expr::Unary(_) => {
                    *expr.expr = place;
                    Expr::Paren(expr)
                }
                place => place,
            },
            Expr::Field(expr) => {
                let base = Box::new(self.stabilize_parts(*expr.base, changed));
                Expr::Field(syn::ExprField { base, ..expr })
            }
            Expr::Index(expr) => {
                let user = self.user.around(self.locals.fingerprint(&expr.expr));
                let base = Box::new(self.stabilize_parts(*expr.expr, changed));
                // An index is an operand by value.
                let mut index = expr.index;
                self.used_by(user, |this| this.stabilize_index(&mut index, changed));
                Expr::Index(syn::ExprIndex { expr: base, index, ..expr })
            }
            Expr::Unary(expr) if matches!(expr.op, UnOp::Deref(_)) => {
                let base = Box::new(self.stabilize_parts(*expr.expr, changed));
                Expr::Unary(syn::ExprUnary { expr: base, ..expr })
            }
            place if self.borrows().is_unchanged(&place, changed) => place,
            value => match self.deferred_after(&value, changed) {
                Some(deferred) => {
                    let chain = self.save_deferred_arguments(value, changed);
                    if deferred == Deferred::MayPanic {
                        self.look_at(&chain);
                    }
                    chain
                }
                None => {
                    let value = self.keep_receiver(value);
                    let value = self.spill_lent(value);
                    self.count_kept();
                    value
                }
            },
        }
    }

    fn stabilize_index(&mut self, index: &mut Expr, changed: &Changed) {
        match index {
            index
                if self.borrows().is_unchanged(index, changed)
                    || self.borrows().is_shared_borrow(index) => {}
            Expr::Reference(key) if self.borrows().is_place(&key.expr) => {
                self.check_key(&key.expr, changed);
            }
            Expr::Reference(key) => self.save_dereferenced(&mut key.expr),
            Expr::Range(range) => {
                for end in range.start.iter_mut().chain(&mut range.end) {
                    if !self.borrows().never_changes(end) {
                        **end = self.spill(std::mem::replace(end, Expr::PLACEHOLDER));
                    }
                }
            }
            index => *index = self.spill(std::mem::replace(index, Expr::PLACEHOLDER)),
        }
    }

    /// Lets rustc refuse an operand by reference that is not a borrow: the temporary would be a copy.
    fn check_stays(&mut self, operand: &Expr) {
        let looked_at = quote_spanned!(operand.span()=> &(#operand));
        let asked =
            quote_spanned!(operand.span()=> ::piton::__private::used_later(#looked_at).how());
        self.code(syn::parse_quote_spanned! {operand.span()=>
            if false {
                #[allow(unused_imports)]
                use ::piton::__private::IsBorrowed as _;
                ::piton::__private::stays(#asked);
            }
        });
    }

    /// Reports a later operand that changes a key with which a lookup is repeated.
    fn check_key(&self, key: &Expr, changed: &Changed) {
        if self.borrows().is_written(key, changed) {
            let name = local_of(&self.locals, key).map_or("it", |local| self.locals[local].name());
            self.diagnostics.error_at(
                key,
                Rule::SAVED_LOCALS,
                format!("the value looked up here is looked up again after an await, and `{name}` changes before that"),
                &format!("look it up with a copy: `let unchanged = {name}.clone();`"),
            );
        }
    }

    /// The effect of a chain that can be evaluated after the later operands without an observable difference.
    fn deferred_after(&self, chain: &Expr, changed: &Changed) -> Option<Deferred> {
        let deferred = self.borrows().deferred(chain)?;
        let leaves = match deferred {
            // Outside an `async` block, an early exit drops the map together with the function.
            Deferred::Fills => {
                changed.exits.loops || changed.exits.function && self.points.is_in_branch()
            }
            Deferred::Lends | Deferred::MayPanic => false,
        };
        // An iterator over borrowed items needs the list unchanged; other chains do not.
        let is_lent = borrows_items(chain);
        let is_changed = |place: &Place| match is_lent {
            true => changed.may_change_borrowed(place),
            false => changed.may_change(place),
        };
        let named = self.borrows().named_by_deferred(chain, changed);
        (!leaves && !named.iter().any(is_changed)).then_some(deferred)
    }

    /// Evaluates `place` and discards the result, so that its panics occur here.
    pub(crate) fn look_at(&mut self, place: &Expr) {
        let borrow = Expr::Reference(ExprReference {
            attrs: Vec::new(),
            and_token: Default::default(),
            mutability: None,
            expr: Box::new(place.clone()),
        });
        self.code(let_stmt(wild_pat(), borrow));
    }

    /// As [`spill`](Self::spill), and rematerializes a borrow from lookups after the later operands. A method that may
    /// return an `Option` is left out: it is probably a user's method that returns a value.
    pub(crate) fn spill_lent(&mut self, value: Expr) -> Expr {
        if gives_option(&value) { self.spill(value) } else { self.spill_found(value) }
    }

    /// As [`spill`](Self::spill), and rematerializes a borrow from lookups after the later operands.
    pub(crate) fn spill_found(&mut self, value: Expr) -> Expr {
        if self.borrows().may_insert(&value) {
            return self.spill(value);
        }
        let value = self.save_keys(value);
        let lent = self.borrows().lookup_of(&value);
        let path = self.spill(value);
        if let (Some(local), Some(lent)) = (local_of(&self.locals, &path), lent) {
            self.locals[local].rematerialized = Some(lent.into());
        }
        path
    }

    pub(crate) fn spill(&mut self, value: Expr) -> Expr {
        let value = without_parens(value);
        let local = self.temporary(&value);
        let pat = self.locals.pattern(local);
        self.code(let_stmt(pat, value));
        self.locals.path(local)
    }
}

impl Borrows<'_> {
    /// Whether the operand has the same value after the later operands: a constant, or a closure whose captures they do
    /// not change.
    fn is_unchanged(&self, operand: &Expr, changed: &Changed) -> bool {
        self.never_changes(operand) && !self.captures_changed(operand, changed)
    }

    /// Copies the indices of a place that are in temporaries, because a range is not `Copy`.
    fn copy_indices(&self, place: &mut Expr) {
        match place {
            Expr::Index(expr) => {
                self.copy_indices(&mut expr.expr);
                let index = &mut *expr.index;
                if local_of(self.locals, index).is_some_and(|it| self.locals[it].is_temporary) {
                    *index = syn::parse_quote_spanned!(index.span()=> ::piton::__private::copy_of_key(&#index));
                }
            }
            Expr::Field(expr) => self.copy_indices(&mut expr.base),
            Expr::Paren(expr) => self.copy_indices(&mut expr.expr),
            Expr::Unary(expr) => self.copy_indices(&mut expr.expr),
            _ => {}
        }
    }

    /// Whether the expression is a chain of methods that consumes the outcome of an earlier await.
    pub(crate) fn is_made_of_temporary(&self, value: &Expr) -> bool {
        let Expr::MethodCall(call) = value else { return false };
        let receiver = local_of(self.locals, &call.receiver);
        is(call, Fact::Maps)
            && (receiver.is_some_and(|local| self.locals[local].is_temporary)
                || self.is_made_of_temporary(&call.receiver))
            && call.args.iter().all(|argument| self.never_changes(argument) || is_own(argument))
    }
}

/// Whether the value of an operand that suspends lives until the statement ends. For operands of comparisons and format
/// macros, the drop is not observable.
fn is_kept(operand: &Expr, kind: Operand) -> bool {
    match operand {
        Expr::Paren(paren) => is_kept(&paren.expr, kind),
        Expr::Await(_) => matches!(kind, Operand::Place | Operand::Receiver | Operand::Taken),
        Expr::Macro(call) if control::is_join(&call.mac) => !kind.is_value(),
        operand => !kind.is_value() && control::has_parts(operand),
    }
}
