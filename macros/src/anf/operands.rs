//! Operands that are evaluated before another operand suspends.
//!
//! Such an operand is moved to a temporary, which is then saved, unless it can be evaluated after the suspension
//! instead: a literal, a constant, a borrow, or a local that nothing in between changes.

use quote::quote_spanned;
use syn::spanned::Spanned;
use syn::{Expr, ExprReference, UnOp};

use super::control;
use crate::diagnostics::rules::Rule;
use crate::ir::locals::local_of;
use crate::ir::usage::Place;
use crate::lower::Lower;
use crate::lower::borrows::Borrows;
use crate::lower::operand::{Operand, operands_mut};
use crate::rematerialize::interference::Changed;
use crate::rematerialize::two_phase_borrows::{Deferred, lends_items};
use crate::syntax::branches::awaits_in_branch;
use crate::syntax::build::{let_stmt, wild_pat};
use crate::syntax::conditions::chain;
use crate::syntax::forms::{gives_option, has_index, is_own, without_parens};
use crate::syntax::methods::{Fact, is};
use crate::syntax::suspend;

impl Lower<'_> {
    /// Hoists what is matched by patterns.
    pub(crate) fn hoist_matched(&mut self, value: Expr) -> Expr {
        match value {
            Expr::Tuple(mut tuple) if tuple.elems.iter().any(suspend::expr) => {
                let parts = std::mem::take(&mut tuple.elems).into_iter();
                let parts = self.sequence(parts.map(|part| (part, Operand::Matched)).collect());
                tuple.elems = parts.into_iter().collect();
                Expr::Tuple(tuple)
            }
            value => self.hoist(value),
        }
    }

    /// Emits the operands up to the last suspension in them, and gives what is left of each.
    pub(crate) fn sequence(&mut self, operands: Vec<(Expr, Operand)>) -> Vec<Expr> {
        let last = operands.iter().rposition(|(operand, _)| suspend::expr(operand));
        let changed = self.changed_after(&operands, last);
        let mut left = Vec::with_capacity(operands.len());
        for (index, (operand, kind)) in operands.into_iter().enumerate() {
            left.push(match last {
                Some(last) if index < last => {
                    let is_chosen = suspend::expr(&operand) && control::has_parts(&operand);
                    let operand = self.hoist(operand);
                    match operand {
                        // A borrow that branches have given is made again.
                        Expr::If(_) if is_chosen => operand,
                        operand => self.stabilize(operand, kind, &changed[index]),
                    }
                }
                Some(last) if index == last => {
                    // What is not moved out of it ends with the statement.
                    let stays = is_kept(&operand, kind);
                    let operand = match operand {
                        Expr::If(expr) if kind.is_value() => self.hoist_if(expr),
                        operand => self.hoist(operand),
                    };
                    if stays {
                        self.note_kept();
                    }
                    operand
                }
                _ => self.opaque(operand),
            });
        }
        left
    }

    /// An `if` of which only the condition awaits is left where it is, since there rustc knows what type is
    /// wanted of its branches.
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

    /// What the operands after each one may change, up to the last of those that are taken apart.
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

    /// Makes `operand`, which does not suspend, give the same after the statements that follow.
    pub(crate) fn stabilize(&mut self, operand: Expr, kind: Operand, changed: &Changed) -> Expr {
        if self.borrows().is_unchanged(&operand, changed) {
            return operand;
        }
        match operand {
            Expr::Reference(expr) => {
                let place = Box::new(self.stabilize_place(*expr.expr, changed));
                Expr::Reference(ExprReference { expr: place, ..expr })
            }
            // What only wraps borrows is made after what follows.
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
                        // What it looks for can stay.
                        let before = self.borrowed;
                        let found = self.spill_found(operand);
                        self.borrowed = before;
                        found
                    }
                    _ => self.spill_lent(operand),
                }
            }
            // rustc lets nothing change what is borrowed, nor use it up, so this is copied.
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

    /// As `stabilize`, for what is used where it is.
    fn stabilize_place(&mut self, place: Expr, changed: &Changed) -> Expr {
        let has_index = has_index(&place);
        let place = self.stabilize_parts(place, changed);
        if has_index {
            // An index out of bounds is noticed before what follows is awaited.
            let mut looked_at = place.clone();
            self.borrows().copy_indices(&mut looked_at);
            self.look_at(&looked_at);
        }
        place
    }

    fn stabilize_parts(&mut self, place: Expr, changed: &Changed) -> Expr {
        match place {
            // What is borrowed through it is a part of the text that it is now.
            Expr::Path(_)
                if self.borrows().is_changing_text(&place)
                    && self.borrows().is_written(&place, changed) =>
            {
                self.spill(place)
            }
            Expr::Path(_) => place,
            Expr::Paren(mut expr) => match self.stabilize_parts(*expr.expr, changed) {
                // A method that is written behind it is one of the place.
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
                let base = Box::new(self.stabilize_parts(*expr.expr, changed));
                // The index is a value of its own, whatever changes later.
                let mut index = expr.index;
                match &mut *index {
                    index
                        if self.borrows().is_unchanged(index, changed)
                            || self.borrows().is_shared_borrow(index) => {}
                    Expr::Reference(key) if self.borrows().is_place(&key.expr) => {
                        self.check_key(&key.expr, changed);
                    }
                    Expr::Reference(key) => self.keep_borrowed(&mut key.expr),
                    Expr::Range(range) => {
                        for end in range.start.iter_mut().chain(&mut range.end) {
                            if !self.borrows().never_changes(end) {
                                **end = self.spill(std::mem::replace(end, Expr::PLACEHOLDER));
                            }
                        }
                    }
                    index => *index = self.spill(std::mem::replace(index, Expr::PLACEHOLDER)),
                }
                Expr::Index(syn::ExprIndex { expr: base, index, ..expr })
            }
            Expr::Unary(expr) if matches!(expr.op, UnOp::Deref(_)) => {
                let base = Box::new(self.stabilize_parts(*expr.expr, changed));
                Expr::Unary(syn::ExprUnary { expr: base, ..expr })
            }
            place if self.borrows().is_unchanged(&place, changed) => place,
            value => match self.deferred_after(&value, changed) {
                Some(deferred) => {
                    let chain = self.keep_keys(value, changed);
                    if deferred == Deferred::MayPanic {
                        self.look_at(&chain);
                    }
                    chain
                }
                None => {
                    let value = self.keep_receiver(value);
                    let value = self.spill_lent(value);
                    self.note_kept();
                    value
                }
            },
        }
    }

    /// Lets rustc refuse a value that it would copy now, of which only it knows the type.
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

    /// Reports that what follows changes a key, by which something is looked up again then.
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

    /// What a chain of methods does, if nothing can tell that it is evaluated after what follows.
    fn deferred_after(&self, chain: &Expr, changed: &Changed) -> Option<Deferred> {
        let deferred = self.borrows().deferred(chain)?;
        let leaves = match deferred {
            // Outside of an `async` block the map ends with the function.
            Deferred::Fills => {
                changed.exits.loops || changed.exits.function && self.points.is_in_branch()
            }
            Deferred::Lends | Deferred::MayPanic => false,
        };
        // While its items are lent, a list is only looked at.
        let is_lent = lends_items(chain);
        let is_changed = |place: &Place| match is_lent {
            true => changed.may_change_lent(place),
            false => changed.may_change(place),
        };
        let named = self.borrows().named_by_deferred(chain, changed);
        (!leaves && !named.iter().any(is_changed)).then_some(deferred)
    }

    /// Evaluates `place`, and nothing more.
    pub(crate) fn look_at(&mut self, place: &Expr) {
        let borrow = Expr::Reference(ExprReference {
            attrs: Vec::new(),
            and_token: Default::default(),
            mutability: None,
            expr: Box::new(place.clone()),
        });
        self.code(let_stmt(wild_pat(), borrow));
    }

    /// As [`spill`](Self::spill). What a method lends is looked up again after what follows, but for an `Option`: a method
    /// of that name which gives one, or a value, is more likely one of the user's own.
    pub(crate) fn spill_lent(&mut self, value: Expr) -> Expr {
        if gives_option(&value) { self.spill(value) } else { self.spill_found(value) }
    }

    /// As [`spill`](Self::spill). What a method lends is asked for again after what follows.
    pub(crate) fn spill_found(&mut self, value: Expr) -> Expr {
        if self.borrows().fills(&value) {
            return self.spill(value);
        }
        let value = self.keep_found(value);
        let lent = self.borrows().lent(&value);
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
    /// Whether the operand means the same after what follows: a constant, or a closure that captures nothing
    /// that is replaced meanwhile.
    fn is_unchanged(&self, operand: &Expr, changed: &Changed) -> bool {
        self.never_changes(operand) && !self.captures_changed(operand, changed)
    }

    /// Copies the indices of a place that are in temporaries, since a range is not `Copy`.
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

    /// Whether the expression makes a value of what has been awaited before it, by methods that take what
    /// they are called on.
    pub(crate) fn is_made_of_temporary(&self, value: &Expr) -> bool {
        let Expr::MethodCall(call) = value else { return false };
        let receiver = local_of(self.locals, &call.receiver);
        is(call, Fact::Maps)
            && (receiver.is_some_and(|local| self.locals[local].is_temporary)
                || self.is_made_of_temporary(&call.receiver))
            && call.args.iter().all(|argument| self.never_changes(argument) || is_own(argument))
    }
}

/// Whether the value of an operand that suspends is there until the statement ends. Of what is awaited
/// to be compared or formatted nobody sees the drop.
fn is_kept(operand: &Expr, kind: Operand) -> bool {
    match operand {
        Expr::Paren(paren) => is_kept(&paren.expr, kind),
        Expr::Await(_) => matches!(kind, Operand::Place | Operand::Receiver | Operand::Taken),
        Expr::Macro(call) if control::is_join(&call.mac) => !kind.is_value(),
        operand => !kind.is_value() && control::has_parts(operand),
    }
}
