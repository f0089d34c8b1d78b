//! ANF: every suspension point a statement of its own, evaluation order explicit.
//!
//! Input: the resolved body. Output: [`Tree`]. Guarantees: no expression in the tree suspends; what
//! an expression evaluates before an await is in a temporary, or stays in place because nothing in
//! between can change it; a statement that does not suspend is exactly as the user wrote it, but for
//! the labels of jumps to loops that are taken apart. Assumes unique names (`resolve`).

mod again;
mod alternatives;
mod apart;
mod asked_again;
mod borrowed_parts;
mod branch_lenders;
mod branches;
mod changed;
mod chosen;
mod compound;
mod control;
mod decisions;
mod diverging;
mod entries;
mod expr;
mod foreign;
mod forms;
mod functions;
pub(crate) mod given;
mod guards;
mod item_parts;
mod items;
mod kept;
mod keys;
mod labels;
mod lasting;
mod lasting_parts;
mod late;
mod lenders;
mod lending;
mod lent;
mod loops;
mod made;
mod may_lend;
mod moved;
mod names;
mod operand;
mod operands;
mod pairs;
mod projections;
mod receivers;
mod refusal;
mod remade;
mod rows;
pub(crate) mod select;
mod shapes;
mod sifting;
mod statements;
mod taken;
mod text_types;
mod texts;
mod through;
mod told_by_type;
mod walk;

pub(crate) use self::made::function as made_function;
pub(crate) use self::statements::is_owned;
pub(crate) use self::told_by_type::told_again;

use std::borrow::Cow;

use proc_macro2::Span;
use quote::ToTokens;
use syn::spanned::Spanned;
use syn::{Block, Expr, Ident, Pat, Stmt as Source, Type};

use crate::collections::sets::Set;
use crate::diagnostics::Diagnostics;
use crate::diagnostics::rules::Rule;
use crate::ir::Refinement;
use crate::ir::{
    Body, Local, LocalId, LocalKind, Locals, Point, PointId, PointKind, Stmt, Tree, discard,
    span_ends, whole,
};
use crate::normalize::labels::JumpScope;
use crate::syntax::build::{ident_expr, ident_pat};
use crate::syntax::fingerprint::{Fingerprint, Place};
use crate::syntax::forms::{extends_temporaries, is_block_like, is_slice};
use crate::syntax::hygiene;

/// Takes apart what suspends, for the first time or again.
pub(crate) fn normalize(
    context: Option<&Ident>,
    body: &Block,
    mut locals: Locals,
    refinement: &Refinement,
    diagnostics: &Diagnostics,
) -> Tree {
    let mut body = Cow::Borrowed(body);
    let patterns = if refinement.destructured.is_empty() {
        apart::Patterns::new()
    } else {
        apart::take_all_apart(&locals, &refinement.destructured, body.to_mut())
    };
    let shapes = texts::find(&body, &mut locals);
    let mut lower = Lower {
        locals,
        refinement,
        shapes,
        points: Vec::new(),
        pinned: Vec::new(),
        items: Vec::new(),
        source: items::Source::new(&body),
        depth: 0,
        targets: 0,
        temporaries: 0,
        borrowed: 0,
        kept: Set::new(),
        jumps: Vec::new(),
        declared: Vec::new(),
        patterns,
        rest: Vec::new(),
        within: None,
        out: Vec::new(),
        context: context.cloned(),
        diagnostics,
    };
    lower.block(Block::clone(&body), Dest::Return);
    let Lower { locals, mut points, pinned, items, out, .. } = lower;
    names::number(&mut points, &pinned, diagnostics);
    Tree { locals, points, items, body: Body { stmts: out } }
}

/// What becomes of the value of an expression.
#[derive(Clone, Copy, Debug)]
enum Dest {
    Discard,
    /// Nothing becomes of it, and it is asked to be `()`.
    Unit,
    Local(LocalId),
    Return,
}

impl Dest {
    fn local(self) -> Option<LocalId> {
        match self {
            Self::Local(local) => Some(local),
            Self::Discard | Self::Unit | Self::Return => None,
        }
    }

    /// Whether nothing becomes of the value.
    fn is_none(self) -> bool {
        matches!(self, Self::Discard | Self::Unit)
    }
}

struct Lower<'a> {
    locals: Locals,
    refinement: &'a Refinement,
    /// What is known of their values.
    shapes: shapes::Shapes,
    points: Vec<Point>,
    /// The points whose name an attribute gives.
    pinned: Vec<(PointId, Span)>,
    items: Vec<syn::Item>,
    source: items::Source<'a>,
    /// How many blocks are open.
    depth: usize,
    targets: usize,
    temporaries: usize,
    /// How many of them are only borrowed, and are yet to be dropped at the end of a statement.
    borrowed: usize,
    /// Those of them that are locals.
    kept: Set<LocalId>,
    jumps: Vec<JumpScope>,
    /// What `let` has declared so far.
    declared: Vec<LocalId>,
    /// The patterns that take parts of locals, of those locals of which nothing has been taken yet.
    patterns: apart::Patterns,
    /// The statements that are still to be lowered of each block around, the last ones first.
    rest: Vec<Vec<Source>>,
    /// The branch whose `async` block is being lowered.
    within: Option<(PointId, usize)>,
    out: Vec<Stmt>,
    context: Option<Ident>,
    diagnostics: &'a Diagnostics,
}

impl Lower<'_> {
    /// Collects the statements that `lower` emits.
    fn body(&mut self, lower: impl FnOnce(&mut Self)) -> Body {
        let outer = std::mem::take(&mut self.out);
        lower(self);
        Body { stmts: std::mem::replace(&mut self.out, outer) }
    }

    fn push(&mut self, stmt: Stmt) {
        self.out.push(stmt);
    }

    fn code(&mut self, stmt: Source) {
        self.push(Stmt::Code(stmt));
    }

    /// Lowers a statement. What is borrowed for it alone is dropped at its end.
    fn with_temporaries(&mut self, lower: impl FnOnce(&mut Self)) {
        let before = self.borrowed;
        let body = self.body(lower);
        if std::mem::replace(&mut self.borrowed, before) == before {
            self.out.extend(body.stmts);
        } else {
            let scope = self.scope(body);
            self.push(scope);
        }
    }

    /// Lowers an expression whose value outlives what is borrowed for it.
    fn without_temporaries(
        &mut self,
        ty: Option<Type>,
        lower: impl FnOnce(&mut Self) -> Expr,
    ) -> Expr {
        let before = self.borrowed;
        let outer = std::mem::take(&mut self.out);
        let value = lower(self);
        let body = Body { stmts: std::mem::replace(&mut self.out, outer) };
        let (value, left) = self.outlive(body, value, before);
        let Some(mut body) = left else { return value };
        let local = self.temporary(&value);
        self.locals[local].ty = ty;
        self.push(Stmt::Declare(local));
        body.stmts.push(Stmt::Define { local, value });
        let scope = self.scope(body);
        self.push(scope);
        self.path(local)
    }

    /// Emits the statements that make a value, if it may be used after what they have borrowed for it, of
    /// which there was `before` as much. Else gives them back: the value is to be used up at their end.
    fn outlive(&mut self, mut body: Body, value: Expr, before: usize) -> (Expr, Option<Body>) {
        if self.borrowed == before {
            self.out.extend(body.stmts);
            return (value, None);
        }
        if let Some(value) = self.with_lasting_keys(&value, &mut body.stmts) {
            self.borrowed = before;
            let scope = self.scope(body);
            self.push(scope);
            return (value, None);
        }
        if extends_temporaries(&value) || is_slice(&value) {
            self.out.extend(body.stmts);
            return (value, None);
        }
        self.borrowed = before;
        (value, Some(body))
    }

    /// Gives `value`, which does not suspend, to `dest`.
    fn finish(&mut self, value: Expr, dest: Dest) {
        match dest {
            Dest::Discard => {
                let semi = (!is_block_like(&value)).then(Default::default);
                self.code(Source::Expr(value, semi));
            }
            Dest::Unit => {
                let value = match value {
                    Expr::Try(expr) => {
                        // As a whole, because rustc expects nothing of the branches of the question.
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

    /// As [`finish`](Self::finish), of what rustc would see from `start` to `end`.
    fn finish_from(&mut self, value: Expr, start: Span, end: Span, dest: Dest) {
        let value = match dest {
            Dest::Discard => Expr::Verbatim(discard(&value, start, end)),
            Dest::Unit => Expr::Verbatim(whole(&value, start, end)),
            Dest::Local(_) | Dest::Return => value,
        };
        self.finish(value, dest);
    }

    /// A local for a value that the source does not name.
    fn temporary(&mut self, value: &Expr) -> LocalId {
        let source = self.name_of_value(value);
        let shape = shapes::of_value(&self.locals, &self.shapes, value);
        let span = match value {
            Expr::Await(expr) => expr.await_token.span,
            _ => value.span(),
        };
        let local = self.new_temporary(&source, shape.kind(false), span);
        let may_be_text = !shape.is_text() && may_lend::may_lend(&self.locals, value);
        self.locals[local].may_be_text = may_be_text;
        self.locals[local].lasts = may_be_text && lasting::lasts(&self.locals, value);
        self.locals[local].shape = shape;
        self.locals[local].is_temporary = true;
        self.note_source(local, value);
        local
    }

    /// Notes what a temporary has its value from.
    fn note_source(&mut self, local: LocalId, source: &impl ToTokens) {
        self.locals[local].bound_by = self.locals.fingerprint(source);
        self.locals[local].redacted = self.locals.names_redacted(source);
    }

    fn new_temporary(&mut self, source: &str, kind: LocalKind, span: Span) -> LocalId {
        self.temporaries += 1;
        let ident = hygiene::temporary(self.temporaries, span);
        self.locals.add(ident, source, true, kind)
    }

    /// The local as an expression.
    fn path(&self, local: LocalId) -> Expr {
        ident_expr(self.locals[local].ident.clone())
    }

    fn local_pat(&self, local: LocalId) -> Pat {
        let Local { ident, mutable, .. } = &self.locals[local];
        ident_pat(ident.clone(), *mutable)
    }

    fn push_await(&mut self, (point, future): (PointId, Expr), pat: Pat, ty: Option<Type>) {
        self.push(Stmt::Await { point, future, pat, ty });
    }

    /// Takes an await's operation out of it.
    fn future(&mut self, mut expr: syn::ExprAwait) -> (PointId, Expr) {
        let pin = self.take_pin_attrs(&mut expr.attrs);
        let (name, kind) = names::of_future(&expr.base, self.context.as_ref());
        let fingerprint = self.locals.fingerprint(&expr.base);
        let future = self.hoist(*expr.base);
        let point = self.point((name, fingerprint), kind, expr.await_token.span);
        self.pin(pin, point.0);
        (point, future)
    }

    fn point(
        &mut self,
        (name, fingerprint): (String, Fingerprint),
        kind: PointKind,
        span: Span,
    ) -> PointId {
        let (within, place) = (self.within, Place::only(fingerprint));
        let (repeats, branches) = (None, Vec::new());
        self.points.push(Point { name, kind, span, within, repeats, place, branches });
        PointId(self.points.len() - 1)
    }

    fn unsupported(&self, span: Span, what: &str, help: &str) {
        self.diagnostics.error(
            span,
            Rule::UNSUPPORTED_AWAIT,
            format!("{what} cannot contain an `.await` in a workflow"),
            help,
        );
    }
}
