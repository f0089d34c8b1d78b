//! Gives each binding a unique name.
//!
//! Input: the parameters and the body. Output: the same with shadowing bindings renamed, and the [`Locals`] of all
//! bindings that may live across a suspension point: those of parameters and of statements that suspend.
//! Guarantees: every such binding has a unique name in the function, and every use of it has that name, including
//! uses in macros and format strings. Code that does not suspend keeps its own bindings, and their names unless a
//! local has the name. Assumes that lower-case names in patterns are bindings, and others constants or variants,
//! unless a declaration around the function or the place of the pattern shows otherwise.
//!
//! ```text
//! let total = price(id).await;            let total = price(id).await;
//! let total = round(total).await;    →    let total_2 = round(total).await;
//! note!("{total}")                        note!("{total_2}")
//! ```

mod bindings;
mod bound_by;
mod constants;
mod macros;
mod parameters;

use quote::ToTokens;
use syn::visit_mut::{self, VisitMut};
use syn::{Block, Expr, Ident, ItemMacro, Macro, Pat, PatType, Stmt};

use crate::collections::by_name::{NameMap, NameSet};
use crate::diagnostics::Diagnostics;
use crate::frontend::{expose, formerly, redact};
use crate::ir::Locals;
use crate::ir::usage::bound_locals;
use crate::syntax::fingerprint::Fingerprint;
use crate::syntax::hygiene::Names;
use crate::syntax::suspend;

use self::bound_by::{BoundBy, assigned_values, assigned_variables};

/// Gives every binding a unique name, and returns the locals.
pub(crate) fn resolve(
    context: Option<&Ident>,
    params: &mut [PatType],
    body: &mut Block,
    diagnostics: &Diagnostics,
) -> Locals {
    let held = parameters::hold(params, body);
    let constants = constants::around(body);
    // Later passes find locals by name, so no local may have the name of a function or constant that the body uses. The
    // first round collects both kinds of names; the second, with the names known, runs only if they overlap.
    let source = (&*params, &*body);
    let mut resolver = Resolver::new(context, source, &constants, diagnostics);
    let mut resolved = resolver.run();
    if !resolver.is_settled() {
        let first = resolver;
        resolver = Resolver::new(context, source, &constants, diagnostics);
        resolver.taken.extend(first.foreign);
        resolver.of_locals = first.taken;
        resolved = resolver.run();
    }
    let mut locals = resolver.locals;
    params.swap_with_slice(&mut resolved.0);
    *body = resolved.1;
    for (ident, stored) in held {
        if let Some(local) = locals.find(&ident) {
            locals[local].identity.name = stored;
        }
    }
    locals
}

/// All names in the function.
fn names_in((params, body): (&[PatType], &Block)) -> Names {
    let mut names = Names::of(body.to_token_stream());
    for param in params {
        names.extend(Names::of(param.to_token_stream()));
    }
    names
}

/// A binding in scope.
#[derive(Clone, Debug)]
enum Binding {
    /// A binding that keeps its name.
    Own,
    /// A binding with this new name.
    Renamed(Ident),
}

struct Resolver<'a> {
    /// The function before the pass.
    source: (&'a [PatType], &'a Block),
    /// All names in the source, collected when the first new name is needed.
    names: Option<Names>,
    /// The source names of the locals bound so far.
    taken: NameSet,
    /// The source names of all locals, from the first round.
    of_locals: NameSet,
    /// The names of other bindings so far, and of possible bindings by macros in patterns.
    own: NameSet,
    locals: Locals,
    scopes: Vec<NameMap<Binding>>,
    /// The macros of the body that are in scope, each with a local that its definition names.
    macros: Vec<(ItemMacro, Option<String>)>,
    /// Names that are constants where a pattern has them.
    constants: &'a NameSet,
    /// Names used where no binding of them is in scope.
    foreign: NameSet,
    /// Whether the statement being visited suspends, so that its bindings are locals.
    lowered: bool,
    /// The source of the next pattern's bindings.
    bound_by: BoundBy,
    /// By enclosing `let`, the names that it binds, while its initializer is visited.
    lets: Vec<Names>,
    diagnostics: &'a Diagnostics,
}

impl<'a> Resolver<'a> {
    fn new(
        context: Option<&Ident>,
        source: (&'a [PatType], &'a Block),
        constants: &'a NameSet,
        diagnostics: &'a Diagnostics,
    ) -> Self {
        let (mut taken, mut scope) = (NameSet::default(), NameMap::default());
        if let Some(context) = context {
            taken.insert(context.to_string());
            scope.insert(context.to_string(), Binding::Own);
        }
        Self {
            source,
            names: None,
            taken,
            of_locals: NameSet::default(),
            own: NameSet::default(),
            locals: Locals::default(),
            scopes: vec![scope],
            macros: Vec::new(),
            constants,
            foreign: NameSet::default(),
            lowered: true,
            bound_by: BoundBy::default(),
            lets: Vec::new(),
            diagnostics,
        }
    }
}

impl Resolver<'_> {
    /// Resolves a copy of the function, and returns it.
    fn run(&mut self) -> (Vec<PatType>, Block) {
        let (mut params, mut body) = (self.source.0.to_vec(), self.source.1.clone());
        for (index, param) in params.iter_mut().enumerate() {
            let redacted = redact::take(&mut param.attrs);
            self.bound_by = BoundBy::parameter(index, param);
            self.bind_certain(&mut param.pat);
            if redacted {
                self.redact(&param.pat);
            }
            if let (Pat::Ident(pat), ty) = (&*param.pat, &param.ty)
                && let Some(local) = self.locals.find(&pat.ident)
            {
                self.locals[local].ty = Some((**ty).clone());
            }
        }
        self.visit_block_mut(&mut body);
        (params, body)
    }

    /// A name similar to `like` that does not occur in the function.
    fn fresh(&mut self, like: &Ident) -> Ident {
        self.names.get_or_insert_with(|| names_in(self.source)).fresh(like)
    }

    /// Marks the locals of a pattern as redacted.
    fn redact(&mut self, pat: &Pat) {
        for local in bound_locals(&self.locals, pat) {
            self.locals[local].visibility.redacted = true;
        }
    }

    /// The source of the bindings of a pattern, if they are locals.
    fn bound_by(&self, pat: &Pat, value: Option<&Expr>) -> BoundBy {
        if self.lowered { BoundBy::value(pat, value) } else { BoundBy::default() }
    }

    /// Whether no name denotes two of these: a local, another binding, and an item.
    fn is_settled(&self) -> bool {
        self.foreign.is_disjoint(&self.taken)
            && self.own.is_disjoint(&self.taken)
            && self.own.is_disjoint(&self.foreign)
    }

    /// Records the use of a name.
    fn note_use(&mut self, name: &str) {
        if self.lookup(name).is_none() {
            self.foreign.insert(name.to_owned());
        }
    }

    fn lookup(&self, name: &str) -> Option<&Binding> {
        self.scopes.iter().rev().find_map(|scope| scope.get(name))
    }

    fn renamed(&self, ident: &Ident) -> Option<Ident> {
        renamed(self.lookup(&ident.to_string())?, ident)
    }

    /// Runs `visit` in a new scope.
    fn scoped(&mut self, lowered: bool, visit: impl FnOnce(&mut Self)) {
        let outer = std::mem::replace(&mut self.lowered, lowered);
        self.scopes.push(NameMap::default());
        let macros = self.macros.len();
        visit(self);
        self.macros.truncate(macros);
        self.scopes.pop();
        self.lowered = outer;
    }
}

impl VisitMut for Resolver<'_> {
    fn visit_block_mut(&mut self, block: &mut Block) {
        let lowered = self.lowered && suspend::block(block);
        self.scoped(lowered, |this| {
            for stmt in &mut block.stmts {
                this.visit_stmt_mut(stmt);
            }
        });
    }

    fn visit_stmt_mut(&mut self, stmt: &mut Stmt) {
        match stmt {
            Stmt::Local(local) => {
                let redacted = redact::take(&mut local.attrs);
                let exposed = expose::take(&mut local.attrs);
                let former_names = formerly::take(&mut local.attrs);
                let value = local.init.as_ref().map(|init| &*init.expr);
                let bound_by = self.bound_by(&local.pat, value);
                if let Some(init) = &mut local.init {
                    let pat =
                        if let Pat::Type(typed) = &local.pat { &typed.pat } else { &local.pat };
                    self.lets.push(Names::of(pat.to_token_stream()));
                    self.visit_expr_mut(&mut init.expr);
                    self.lets.pop();
                    if let Some((_, diverge)) = &mut init.diverge {
                        self.visit_expr_mut(diverge);
                    }
                }
                let is_certain = local.init.as_ref().is_none_or(|init| init.diverge.is_none());
                self.bound_by = bound_by;
                self.bind_names(&mut local.pat, is_certain);
                if redacted {
                    self.redact(&local.pat);
                }
                if exposed {
                    for local in bound_locals(&self.locals, &local.pat) {
                        self.locals[local].visibility.exposed = true;
                    }
                }
                if !former_names.is_empty() {
                    // The attribute is allowed on a pattern with one binding only.
                    for local in bound_locals(&self.locals, &local.pat) {
                        self.locals[local].identity.former_names.clone_from(&former_names);
                    }
                }
                if local.init.is_none() {
                    for local in bound_locals(&self.locals, &local.pat) {
                        self.locals[local].is_initialized = false;
                        // What is assigned to it binds it.
                        self.locals[local].identity.bound_by = Fingerprint::NONE;
                    }
                }
            }
            Stmt::Item(syn::Item::Macro(item)) => self.define_macro(item),
            // Other items cannot see locals.
            Stmt::Item(_) => {}
            other => visit_mut::visit_stmt_mut(self, other),
        }
    }

    fn visit_expr_await_mut(&mut self, expr: &mut syn::ExprAwait) {
        self.resolve_branch(&mut expr.base);
    }

    fn visit_expr_if_mut(&mut self, expr: &mut syn::ExprIf) {
        let lowered = self.lowered && suspends_if(expr);
        self.scoped(lowered, |this| {
            this.visit_expr_mut(&mut expr.cond);
            this.visit_block_mut(&mut expr.then_branch);
        });
        if let Some((_, otherwise)) = &mut expr.else_branch {
            self.visit_expr_mut(otherwise);
        }
    }

    fn visit_expr_while_mut(&mut self, expr: &mut syn::ExprWhile) {
        let lowered = self.lowered && (suspend::expr(&expr.cond) || suspend::block(&expr.body));
        self.scoped(lowered, |this| {
            this.visit_expr_mut(&mut expr.cond);
            this.visit_block_mut(&mut expr.body);
        });
    }

    fn visit_expr_for_loop_mut(&mut self, expr: &mut syn::ExprForLoop) {
        let lowered = self.lowered && suspend::block(&expr.body);
        let bound_by = BoundBy::items(&expr.pat, &expr.expr);
        self.visit_expr_mut(&mut expr.expr);
        self.scoped(lowered, |this| {
            this.bound_by = bound_by;
            this.bind_certain(&mut expr.pat);
            this.visit_block_mut(&mut expr.body);
        });
    }

    fn visit_expr_match_mut(&mut self, expr: &mut syn::ExprMatch) {
        let suspends = |arm: &syn::Arm| {
            let in_guard = matches!(&arm.pat, Pat::Guard(pat) if suspend::expr(&pat.guard));
            in_guard || suspend::expr(&arm.body)
        };
        let lowered = self.lowered && expr.arms.iter().any(suspends);
        let scrutinee = lowered.then(|| expr.expr.clone());
        self.visit_expr_mut(&mut expr.expr);
        for arm in &mut expr.arms {
            self.scoped(lowered, |this| {
                this.bound_by = this.bound_by(&arm.pat, scrutinee.as_deref());
                this.bind(&mut arm.pat);
                if let Pat::Guard(pat) = &mut arm.pat {
                    this.visit_expr_mut(&mut pat.guard);
                }
                this.visit_expr_mut(&mut arm.body);
            });
        }
    }

    fn visit_expr_let_mut(&mut self, expr: &mut syn::ExprLet) {
        let bound_by = self.bound_by(&expr.pat, Some(&expr.expr));
        self.visit_expr_mut(&mut expr.expr);
        self.bound_by = bound_by;
        self.bind(&mut expr.pat);
    }

    fn visit_expr_assign_mut(&mut self, expr: &mut syn::ExprAssign) {
        let values = assigned_values(&expr.left, &expr.right);
        visit_mut::visit_expr_assign_mut(self, expr);
        for (variable, value) in assigned_variables(&expr.left).into_iter().zip(values) {
            if let Some(local) = self.locals.find(variable)
                && !self.locals[local].is_initialized
            {
                let identity = &mut self.locals[local].identity;
                identity.bound_by = value.around(identity.bound_by);
            }
        }
    }

    fn visit_expr_closure_mut(&mut self, expr: &mut syn::ExprClosure) {
        self.scoped(false, |this| {
            expr.inputs.iter_mut().for_each(|pat| this.bind_certain(pat));
            this.visit_expr_mut(&mut expr.body);
        });
    }

    fn visit_expr_path_mut(&mut self, expr: &mut syn::ExprPath) {
        if expr.qself.is_none()
            && let Some(ident) = expr.path.get_ident()
        {
            let name = ident.to_string();
            match self.lookup(&name) {
                Some(binding) => {
                    if let Some(new) = renamed(binding, ident) {
                        expr.path = new.into();
                    }
                }
                None => _ = self.foreign.insert(name),
            }
        }
    }

    fn visit_field_value_mut(&mut self, field: &mut syn::FieldValue) {
        if field.colon_token.is_none()
            && let Expr::Path(path) = &field.expr
            && let Some(ident) = path.path.get_ident()
            && self.renamed(ident).is_some()
        {
            field.colon_token = Some(syn::token::Colon::default());
        }
        self.visit_expr_mut(&mut field.expr);
    }

    fn visit_macro_mut(&mut self, mac: &mut Macro) {
        self.resolve_macro(mac);
    }

    fn visit_item_mut(&mut self, _: &mut syn::Item) {}
}

/// The new name of a binding, if it differs from the source.
fn renamed(binding: &Binding, ident: &Ident) -> Option<Ident> {
    match binding {
        Binding::Own => None,
        Binding::Renamed(new) => {
            let mut new = new.clone();
            new.set_span(ident.span());
            Some(new)
        }
    }
}

fn suspends_if(expr: &syn::ExprIf) -> bool {
    suspend::expr(&expr.cond)
        || suspend::block(&expr.then_branch)
        || expr.else_branch.as_ref().is_some_and(|(_, otherwise)| suspend::expr(otherwise))
}
