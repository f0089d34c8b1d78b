//! ANF: every suspension point a statement of its own, evaluation order explicit.
//!
//! Input: the resolved body. Output: [`Tree`]. Guarantees: no expression in the tree suspends; what
//! an expression evaluates before an await is in a temporary, or stays in place because nothing in
//! between can change it; a statement that does not suspend is exactly as the user wrote it, but for
//! the labels of jumps to loops that are taken apart. Assumes unique names (`resolve`).

mod control;
mod expr;
mod guards;
mod items;
mod labels;
mod lent;
mod names;
mod operands;
mod remade;
pub(crate) mod select;
mod texts;
mod walk;

pub(crate) use self::expr::{is_assignment, is_comparison};

use proc_macro2::Span;
use quote::ToTokens;
use syn::spanned::Spanned;
use syn::{Block, Expr, Ident, Pat, PatIdent, PatType, Stmt as Source, Type};

use self::labels::JumpScope;
use crate::check::Rule;
use crate::diagnostics::Diagnostics;
use crate::hygiene::hidden_at;
use crate::ir::{Body, LocalId, LocalKind, Locals, Point, PointId, PointKind, Stmt, Tree};
use crate::suspend;

/// Takes apart what suspends.
pub(crate) fn normalize(
    context: Option<&Ident>,
    body: Block,
    locals: Locals,
    diagnostics: &Diagnostics,
) -> Tree {
    let mut identifiers = items::Counts::new();
    items::count(body.to_token_stream(), &mut identifiers);
    let mut locals = locals;
    let shapes = texts::find(&body, &mut locals);
    let mut lower = Lower {
        locals,
        shapes,
        points: Vec::new(),
        pinned: Vec::new(),
        items: Vec::new(),
        identifiers,
        depth: 0,
        targets: 0,
        temporaries: 0,
        borrowed: 0,
        jumps: Vec::new(),
        within: None,
        out: Vec::new(),
        context: context.cloned(),
        diagnostics,
    };
    lower.block(body, Dest::Return);
    let Lower { locals, mut points, pinned, items, out, .. } = lower;
    names::number(&mut points, &pinned, diagnostics);
    Tree { locals, points, items, body: Body { stmts: out } }
}

/// What becomes of the value of an expression.
#[derive(Clone, Copy, Debug)]
enum Dest {
    Discard,
    Local(LocalId),
    Return,
}

impl Dest {
    fn local(self) -> Option<LocalId> {
        match self {
            Self::Local(local) => Some(local),
            Self::Discard | Self::Return => None,
        }
    }
}

struct Lower<'a> {
    locals: Locals,
    /// What is known of their values.
    shapes: texts::Shapes,
    points: Vec<Point>,
    /// The points whose name an attribute gives.
    pinned: Vec<(PointId, Span)>,
    items: Vec<syn::Item>,
    /// How often each identifier occurs in the body.
    identifiers: items::Counts,
    /// How many blocks are open.
    depth: usize,
    targets: usize,
    temporaries: usize,
    /// How many of them are only borrowed, and are yet to be dropped at the end of a statement.
    borrowed: usize,
    jumps: Vec<JumpScope>,
    /// The branch whose `async` block is being lowered.
    within: Option<(PointId, usize)>,
    out: Vec<Stmt>,
    context: Option<Ident>,
    diagnostics: &'a Diagnostics,
}

/// Statements.
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

    /// Lowers the statements of a block; its value goes to `dest`.
    fn block(&mut self, block: Block, dest: Dest) {
        self.items_of(&block);
        self.depth += 1;
        let mut has_value = false;
        let count = block.stmts.len();
        for (index, stmt) in block.stmts.into_iter().enumerate() {
            let is_last = index + 1 == count;
            match stmt {
                Source::Item(_) => {}
                Source::Local(local) => self.local(local),
                Source::Expr(expr, None) if is_last => {
                    has_value = true;
                    self.tail(expr, dest);
                }
                Source::Expr(expr, semi) => self.expr_stmt(expr, semi),
                Source::Macro(call) => {
                    let is_value = is_last && call.semi_token.is_none();
                    let expr = Expr::Macro(syn::ExprMacro { attrs: call.attrs, mac: call.mac });
                    if is_value {
                        has_value = true;
                        self.tail(expr, dest);
                    } else {
                        // A macro in braces is a statement without a semicolon.
                        self.expr_stmt(expr, call.semi_token.or(Some(Default::default())));
                    }
                }
            }
        }
        self.depth -= 1;
        if !has_value && !matches!(dest, Dest::Discard) {
            self.finish(unit(), dest);
        }
    }

    /// The value of a block, which may have a name for its state as a statement may.
    fn tail(&mut self, mut expr: Expr, dest: Dest) {
        let pin = self.take_pin(&mut expr);
        let first = self.points.len();
        self.value(expr, dest);
        self.pin(pin, first);
    }

    fn expr_stmt(&mut self, mut expr: Expr, semi: Option<syn::Token![;]>) {
        if suspend::expr(&expr) || labels::is_jump(&expr) {
            let pin = self.take_pin(&mut expr);
            let first = self.points.len();
            self.with_temporaries(|this| this.value(expr, Dest::Discard));
            self.pin(pin, first);
        } else {
            let expr = self.opaque(expr);
            self.code(Source::Expr(expr, semi));
        }
    }

    fn local(&mut self, mut local: syn::Local) {
        let pin = self.take_pin_attrs(&mut local.attrs);
        let first = self.points.len();
        self.note_local(&local);
        match local.init.take() {
            None => self.declare(local),
            Some(mut init) => {
                let diverges = init.diverge.as_ref().is_some_and(|(_, expr)| suspend::expr(expr));
                let needs_temporary = init.diverge.is_some();
                if suspend::expr(&init.expr) {
                    if !needs_temporary
                        && let Some(expr) = self.bind_value(&local, *init.expr.clone())
                    {
                        init.expr = Box::new(expr);
                    } else if !needs_temporary {
                        self.pin(pin, first);
                        return;
                    } else {
                        init.expr = Box::new(self.hoist(*init.expr));
                    }
                } else {
                    *init.expr = self.opaque(*init.expr);
                }
                if diverges {
                    if let Some((_, expr)) = init.diverge.take() {
                        let otherwise = self.body(|this| this.value(*expr, Dest::Discard));
                        local.init = Some(init);
                        self.push(Stmt::LetElse { local, otherwise });
                    }
                } else {
                    if let Some((_, expr)) = &mut init.diverge {
                        **expr = self.opaque(std::mem::replace(&mut **expr, Expr::PLACEHOLDER));
                    }
                    local.init = Some(init);
                    self.code(Source::Local(local));
                }
            }
        }
        self.pin(pin, first);
    }

    /// Notes what the statement says of the local that it declares.
    fn note_local(&mut self, local: &syn::Local) {
        let (pat, ty) = split_type(&local.pat);
        if let Some(init) = &local.init {
            self.note_borrows(pat, &init.expr);
        }
        let Pat::Ident(PatIdent { ident, by_ref: None, subpat: None, .. }) = pat else { return };
        let Some(id) = self.locals.find(ident) else { return };
        self.locals[id].ty = ty.cloned();
        self.locals[id].remade = self.remade(local);
    }

    fn declare(&mut self, local: syn::Local) {
        let mut idents = Vec::new();
        collect_bindings(&local.pat, &mut idents);
        let ids: Vec<_> = idents.iter().filter_map(|ident| self.locals.find(ident)).collect();
        if ids.len() < idents.len() {
            // Nothing here suspends.
            return self.code(Source::Local(local));
        }
        ids.into_iter().for_each(|id| self.push(Stmt::Declare(id)));
    }

    /// Lowers `let pat = value`. Gives the value back if all that is left is to bind it.
    fn bind_value(&mut self, local: &syn::Local, value: Expr) -> Option<Expr> {
        let (pat, ty) = split_type(&local.pat);
        match value {
            Expr::Await(expr) => {
                let point = self.future(expr);
                self.push_await(point, pat.clone(), ty.cloned());
                None
            }
            Expr::Paren(inner) if inner.attrs.is_empty() => self.bind_value(local, *inner.expr),
            value if control::has_parts(&value) => {
                // The branches give a local its value, and the pattern takes it apart.
                if let Pat::Ident(simple) = pat
                    && simple.by_ref.is_none()
                    && simple.subpat.is_none()
                    && let Some(id) = self.locals.find(&simple.ident)
                {
                    self.push(Stmt::Declare(id));
                    self.value(value, Dest::Local(id));
                    None
                } else {
                    let id = self.temporary(&value);
                    self.locals[id].ty = ty.cloned();
                    self.push(Stmt::Declare(id));
                    self.value(value, Dest::Local(id));
                    // As a value, so that what the pattern does not bind ends with the statement.
                    let path = self.path(id);
                    Some(syn::parse_quote!({ #path }))
                }
            }
            value if matches!(pat, Pat::Wild(_)) => self.ignore_value(local, value),
            value => {
                let ty = ty.cloned();
                Some(self.without_temporaries(ty, |this| this.hoist(value)))
            }
        }
    }

    /// Lowers `let _ = value`, which drops the value with all else that it makes.
    fn ignore_value(&mut self, local: &syn::Local, value: Expr) -> Option<Expr> {
        let before = self.borrowed;
        let mut kept = None;
        let mut body = self.body(|this| kept = Some(this.hoist(value)));
        let kept = kept?;
        if extends_temporaries(&kept) {
            self.out.extend(body.stmts);
            return Some(kept);
        }
        self.borrowed = before;
        let mut local = local.clone();
        let init =
            syn::LocalInit { eq_token: Default::default(), expr: Box::new(kept), diverge: None };
        local.init = Some(init);
        body.stmts.push(Stmt::Code(Source::Local(local)));
        self.push(Stmt::Scope(body));
        None
    }

    /// Lowers a statement. What is borrowed for it alone is dropped at its end.
    fn with_temporaries(&mut self, lower: impl FnOnce(&mut Self)) {
        let before = self.borrowed;
        let body = self.body(lower);
        if std::mem::replace(&mut self.borrowed, before) == before {
            self.out.extend(body.stmts);
        } else {
            self.push(Stmt::Scope(body));
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
        let mut stmts = std::mem::replace(&mut self.out, outer);
        if self.borrowed == before || extends_temporaries(&value) {
            self.out.extend(stmts);
            return value;
        }
        self.borrowed = before;
        let local = self.temporary(&value);
        self.locals[local].ty = ty;
        self.push(Stmt::Declare(local));
        stmts.push(Stmt::Define { local, value });
        self.push(Stmt::Scope(Body { stmts }));
        self.path(local)
    }

    /// Gives `value`, which does not suspend, to `dest`.
    fn finish(&mut self, value: Expr, dest: Dest) {
        match dest {
            Dest::Discard => {
                let semi = (!is_block_like(&value)).then(Default::default);
                self.code(Source::Expr(value, semi));
            }
            Dest::Local(local) => self.push(Stmt::Define { local, value }),
            Dest::Return => self.push(Stmt::Return(value)),
        }
    }

    /// A local for a value that the source does not name.
    fn temporary(&mut self, value: &Expr) -> LocalId {
        let source = names::of_value(value);
        let shape = texts::of_value(&self.locals, &self.shapes, value);
        let kind = if shape == texts::Shape::Text { LocalKind::Text } else { LocalKind::Value };
        let local = self.new_temporary(&source, kind, value.span());
        self.locals[local].holds_text = shape.holds_text();
        self.locals[local].is_temporary = true;
        local
    }

    fn new_temporary(&mut self, source: &str, kind: LocalKind, span: Span) -> LocalId {
        self.temporaries += 1;
        let ident = hidden_at(&self.temporaries.to_string(), span);
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
        let future = self.hoist(*expr.base);
        let point = self.point(name, kind, expr.await_token.span);
        self.pin(pin, point.0);
        (point, future)
    }

    fn point(&mut self, name: String, kind: PointKind, span: Span) -> PointId {
        let within = self.within;
        self.points.push(Point { name, kind, span, within, repeats: None });
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

use crate::ir::Local;

/// A pattern without its type, and the type.
fn split_type(pat: &Pat) -> (&Pat, Option<&Type>) {
    match pat {
        Pat::Type(PatType { pat, ty, .. }) => (pat, Some(ty)),
        pat => (pat, None),
    }
}

/// The names that a pattern binds.
pub(crate) fn collect_bindings(pat: &Pat, out: &mut Vec<Ident>) {
    struct Bindings<'a>(&'a mut Vec<Ident>);
    impl syn::visit::Visit<'_> for Bindings<'_> {
        fn visit_pat_ident(&mut self, pat: &syn::PatIdent) {
            if crate::resolve::is_binding(pat) && !self.0.contains(&pat.ident) {
                self.0.push(pat.ident.clone());
            }
            if let Some((_, pat)) = &pat.subpat {
                self.visit_pat(pat);
            }
        }
        fn visit_pat_guard(&mut self, pat: &syn::PatGuard) {
            self.visit_pat(&pat.pat);
            crate::cfg::let_patterns(&pat.guard).into_iter().for_each(|pat| self.visit_pat(pat));
        }
        fn visit_expr(&mut self, _: &Expr) {}
    }
    syn::visit::Visit::visit_pat(&mut Bindings(out), pat);
}

fn unit() -> Expr {
    Expr::Tuple(syn::ExprTuple {
        attrs: Vec::new(),
        paren_token: Default::default(),
        elems: Default::default(),
    })
}

fn ident_expr(ident: Ident) -> Expr {
    Expr::Path(syn::ExprPath { attrs: Vec::new(), qself: None, path: ident.into() })
}

fn ident_pat(ident: Ident, mutable: bool) -> Pat {
    Pat::Ident(syn::PatIdent {
        attrs: Vec::new(),
        by_ref: None,
        mutability: mutable.then(Default::default),
        ident,
        subpat: None,
    })
}

/// `let pat = value;`
fn let_stmt(pat: Pat, value: Expr) -> Source {
    Source::Local(syn::Local {
        attrs: Vec::new(),
        let_token: Default::default(),
        modifiers: Default::default(),
        pat,
        init: Some(syn::LocalInit {
            eq_token: Default::default(),
            expr: Box::new(value),
            diverge: None,
        }),
        semi_token: Default::default(),
    })
}

/// Whether temporaries in the initializer of a `let` live as long as what it declares.
fn extends_temporaries(value: &Expr) -> bool {
    match value {
        Expr::Reference(_) => true,
        Expr::Paren(expr) => extends_temporaries(&expr.expr),
        Expr::Cast(expr) => extends_temporaries(&expr.expr),
        Expr::Tuple(expr) => expr.elems.iter().any(extends_temporaries),
        Expr::Array(expr) => expr.elems.iter().any(extends_temporaries),
        Expr::Struct(expr) => expr.fields.iter().any(|field| extends_temporaries(&field.expr)),
        _ => false,
    }
}

/// Whether the expression ends a statement without a semicolon.
fn is_block_like(expr: &Expr) -> bool {
    matches!(
        expr,
        Expr::Block(_)
            | Expr::If(_)
            | Expr::Match(_)
            | Expr::Loop(_)
            | Expr::While(_)
            | Expr::ForLoop(_)
            | Expr::Unsafe(_)
    )
}
