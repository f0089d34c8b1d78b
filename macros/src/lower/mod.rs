//! The shared state of the lowering of one function.
//!
//! [`Lower`] collects the statements of the tree, creates temporaries, and names suspension points. The lowering is
//! recursive, so the passes are methods of it, in the following folders: `rematerialize` decides what is computed again
//! after an await, `desugar` lowers loops and `select!`, and `anf` walks the body.
//!
//! ```text
//! lower.temporary(&value)                  a local `__piton_1` for the value
//! lower.push(Stmt::Declare(local))         a statement of the tree
//! lower.points.add(name, kind, span)       a suspension point, whose state has that name
//! ```

pub(crate) mod borrows;
pub(crate) mod continuation;
pub(crate) mod items;
pub(crate) mod labels;
pub(crate) mod names;
pub(crate) mod operand;
pub(crate) mod points;

use proc_macro2::Span;
use quote::ToTokens;
use syn::spanned::Spanned;
use syn::{Expr, Ident, Pat, Stmt as Source, Type};

use crate::diagnostics::Diagnostics;
use crate::diagnostics::rules::Rule;
use crate::ir::{Body, LocalId, LocalKind, Locals, PointId, Stmt, discard, span_ends, whole};
use crate::lower::continuation::Continuation;
use crate::lower::labels::Jumps;
use crate::lower::points::Points;
use crate::syntax::fingerprint::Fingerprint;
use crate::syntax::forms::{extends_temporaries, is_block_like, is_slice};
use crate::syntax::hygiene;
use crate::values::borrowed_texts::may_borrow_text;
use crate::values::shapes::{Shapes, of_value};
use crate::values::static_borrows::is_static;

/// The destination of the value of an expression.
#[derive(Clone, Copy, Debug)]
pub(crate) enum Dest {
    Discard,
    /// Discards the value, whose type must be `()`.
    Unit,
    Local(LocalId),
    Return,
}

impl Dest {
    pub(crate) fn local(self) -> Option<LocalId> {
        match self {
            Self::Local(local) => Some(local),
            Self::Discard | Self::Unit | Self::Return => None,
        }
    }

    /// Whether the value is discarded.
    pub(crate) fn is_none(self) -> bool {
        matches!(self, Self::Discard | Self::Unit)
    }
}

pub(crate) struct Lower<'a> {
    pub(crate) locals: Locals,
    /// The shapes of their values.
    pub(crate) shapes: Shapes,
    pub(crate) points: Points,
    pub(crate) items: Vec<syn::Item>,
    pub(crate) source: items::Source<'a>,
    /// The number of open blocks.
    pub(crate) depth: usize,
    pub(crate) temporaries: usize,
    /// The number of temporaries that the current statement keeps until its end, because it only borrows them.
    pub(crate) kept_temporaries: usize,
    pub(crate) jumps: Jumps,
    /// The code that uses the temporaries which are created now.
    pub(crate) user: Fingerprint,
    /// The locals declared by `let` so far.
    pub(crate) declared: Vec<LocalId>,
    /// The statements still to be lowered.
    pub(crate) continuation: Continuation,
    pub(crate) out: Vec<Stmt>,
    pub(crate) context: Option<Ident>,
    pub(crate) diagnostics: &'a Diagnostics,
}

impl Lower<'_> {
    /// Collects the statements that `lower` emits into a body of their own.
    pub(crate) fn body(&mut self, lower: impl FnOnce(&mut Self)) -> Body {
        let outer = std::mem::take(&mut self.out);
        lower(self);
        Body { stmts: std::mem::replace(&mut self.out, outer) }
    }

    /// Lowers the code inside a pattern or condition. Its fingerprint distinguishes suspension points in it from
    /// others.
    pub(crate) fn inside<T>(
        &mut self,
        code: &impl ToTokens,
        lower: impl FnOnce(&mut Self) -> T,
    ) -> T {
        let outer = self.points.enter(self.locals.fingerprint(code));
        let lowered = lower(self);
        self.points.leave(outer);
        lowered
    }

    /// Lowers the code whose temporaries `user` uses. Changed code takes a saved temporary only if it computes or uses it
    /// in the same way.
    pub(crate) fn used_by<T>(
        &mut self,
        user: Fingerprint,
        lower: impl FnOnce(&mut Self) -> T,
    ) -> T {
        let outer = std::mem::replace(&mut self.user, user);
        let lowered = lower(self);
        self.user = outer;
        lowered
    }

    pub(crate) fn push(&mut self, stmt: Stmt) {
        self.out.push(stmt);
    }

    pub(crate) fn code(&mut self, stmt: Source) {
        self.push(Stmt::Code(stmt));
    }

    /// Lowers a statement, and drops the temporaries that it keeps at its end.
    pub(crate) fn with_temporaries(&mut self, lower: impl FnOnce(&mut Self)) {
        let before = self.kept_temporaries;
        let body = self.body(lower);
        if std::mem::replace(&mut self.kept_temporaries, before) == before {
            self.out.extend(body.stmts);
        } else {
            self.push(Stmt::Scope(body));
        }
    }

    /// Lowers an expression whose value outlives the temporaries that the expression keeps.
    pub(crate) fn without_temporaries(
        &mut self,
        ty: Option<Type>,
        lower: impl FnOnce(&mut Self) -> Expr,
    ) -> Expr {
        let before = self.kept_temporaries;
        let outer = std::mem::take(&mut self.out);
        let value = lower(self);
        let body = Body { stmts: std::mem::replace(&mut self.out, outer) };
        let (value, left) = self.outlive(body, value, before);
        let Some(mut body) = left else { return value };
        let local = self.temporary(&value);
        self.locals[local].ty = ty;
        self.push(Stmt::Declare(local));
        body.stmts.push(Stmt::Define { local, value });
        self.push(Stmt::Scope(body));
        self.locals.path(local)
    }

    /// Emits `body`, which computes `value`, if the value may be used after the temporaries that `body` keeps.
    /// Otherwise returns the body, and the value must be used before its end. `before` is the number of kept
    /// temporaries before `body`.
    pub(crate) fn outlive(
        &mut self,
        mut body: Body,
        value: Expr,
        before: usize,
    ) -> (Expr, Option<Body>) {
        if self.kept_temporaries == before {
            self.out.extend(body.stmts);
            return (value, None);
        }
        if let Some(value) = self.with_lasting_keys(&value, &mut body.stmts) {
            self.kept_temporaries = before;
            self.push(Stmt::Scope(body));
            return (value, None);
        }
        if extends_temporaries(&value) || is_slice(&value) {
            self.out.extend(body.stmts);
            return (value, None);
        }
        self.kept_temporaries = before;
        (value, Some(body))
    }

    /// Stores `value`, which does not suspend, in `dest`.
    pub(crate) fn finish(&mut self, value: Expr, dest: Dest) {
        match dest {
            Dest::Discard => {
                let semi = (!is_block_like(&value)).then(Default::default);
                self.code(Source::Expr(value, semi));
            }
            Dest::Unit => {
                let value = match value {
                    Expr::Try(expr) => {
                        // The value is emitted as a single expression, because rustc infers no type for the arms of the
                        // `match` that replaces `?`.
                        let (start, end) = span_ends(expr.to_token_stream());
                        let value = whole(&expr, start, end);
                        syn::parse_quote!(#value)
                    }
                    value => value,
                };
                self.code(Source::Expr(value, None));
            }
            Dest::Local(local) => self.push(Stmt::Define { local, value }),
            Dest::Return => self.push(Stmt::Return(value)),
        }
    }

    /// As [`finish`](Self::finish); rustc reports its errors at the source from `start` to `end`.
    pub(crate) fn finish_from(&mut self, value: Expr, start: Span, end: Span, dest: Dest) {
        let value = match dest {
            Dest::Discard => Expr::Verbatim(discard(&value, start, end)),
            Dest::Unit => Expr::Verbatim(whole(&value, start, end)),
            Dest::Local(_) | Dest::Return => value,
        };
        self.finish(value, dest);
    }

    /// Creates a local for a value that the source does not bind.
    pub(crate) fn temporary(&mut self, value: &Expr) -> LocalId {
        let source = self.name_of_value(value);
        let shape = of_value(&self.locals, &self.shapes, value);
        let span = match value {
            Expr::Await(expr) => expr.await_token.span,
            _ => value.span(),
        };
        let local = self.new_temporary(&source, shape.kind(false), span);
        let may_be_text = !shape.is_text() && may_borrow_text(&self.locals, value);
        let is_static = may_be_text && is_static(&self.locals, value);
        let saving = &mut self.locals[local].saving;
        (saving.shape, saving.may_be_text, saving.is_static) = (shape, may_be_text, is_static);
        self.locals[local].is_temporary = true;
        self.note_source(local, value);
        local
    }

    /// Moves a value to a temporary that the statement keeps until its end.
    pub(crate) fn keep(&mut self, value: Expr) -> Expr {
        let path = self.spill(value);
        self.count_kept();
        path
    }

    /// Counts a temporary that the statement keeps until its end.
    pub(crate) fn count_kept(&mut self) {
        self.kept_temporaries += 1;
    }

    /// Records the expression that initializes a temporary.
    pub(crate) fn note_source(&mut self, local: LocalId, source: &impl ToTokens) {
        self.locals[local].identity.bound_by = self.locals.fingerprint(source);
        self.locals[local].visibility.redacted = self.locals.names_redacted(source);
    }

    pub(crate) fn new_temporary(&mut self, source: &str, kind: LocalKind, span: Span) -> LocalId {
        self.temporaries += 1;
        let ident = hygiene::temporary(self.temporaries, span);
        let local = self.locals.add(ident, source, true, kind);
        self.locals[local].identity.used_by = self.user;
        local
    }

    pub(crate) fn push_await(
        &mut self,
        (point, future): (PointId, Expr),
        pat: Pat,
        ty: Option<Type>,
    ) {
        self.push(Stmt::Await { point, future, pat, ty });
    }

    /// Splits an await into its suspension point and its operation.
    pub(crate) fn future(&mut self, mut expr: syn::ExprAwait) -> (PointId, Expr) {
        let pin = self.take_pin_attrs(&mut expr.attrs);
        let (name, kind) = self.name_of_future(&expr.base);
        let place = self.place_of_future(&expr.base);
        let future = self.hoist(*expr.base);
        let point = self.points.add((name, place), kind, expr.await_token.span);
        self.points.pin(pin, point.0, self.diagnostics);
        (point, future)
    }

    /// Whether a remaining statement of any open block names the local.
    pub(crate) fn is_used_later(&self, local: LocalId) -> bool {
        self.continuation.names(&self.locals[local].ident)
    }

    pub(crate) fn unsupported(&self, span: Span, what: &str, help: &str) {
        self.diagnostics.error(
            span,
            Rule::UNSUPPORTED_AWAIT,
            format!("{what} cannot contain an `.await` in a workflow"),
            help,
        );
    }
}
