//! The walk over a body, with the context of the current position.

use std::fmt::Display;

use proc_macro2::{Ident, Span};
use quote::ToTokens;
use syn::visit::{self, Visit};
use syn::{Block, FnArg, Item, Pat, Signature, Type};

use super::awaits::Region;
use super::kinds::Kind;
use super::locals::LocalTypes;
use super::names::Names;
use crate::diagnostics::Diagnostics;
use crate::diagnostics::rules::{Level, Levels, Rule};
use crate::frontend::method::attribute_named;
use crate::syntax::macros::definitions::Definitions;
use crate::syntax::patterns::split_type;
use crate::syntax::source::imports::{Imports, names_of_piton};
use crate::syntax::suspend;

/// The function under check.
#[derive(Clone, Copy)]
pub(super) struct Function<'a> {
    /// Its kind, for messages.
    pub(super) what: &'static str,
    /// The help for a function that needs the context and does not take it.
    pub(super) without_context: &'static str,
    pub(super) signature: &'a Signature,
}

/// Visits a body with the context of the current position.
pub(super) struct Checker<'a> {
    pub(super) function: Function<'a>,
    pub(super) levels: &'a Levels,
    pub(super) diagnostics: &'a Diagnostics,
    pub(super) names: Names,
    pub(super) locals: LocalTypes,
    pub(super) region: Region,
    /// The rules broken so far, at any level.
    pub(super) broken: Vec<Rule>,
    /// The replaced macros that the code calls by their names alone.
    pub(super) replaced: Vec<Ident>,
    /// The `macro_rules!` of the file and of the body.
    pub(super) definitions: Definitions,
    /// Whether the code is compiled into a machine.
    pub(super) is_compiled: bool,
    /// Whether nothing in the innermost loop awaits, so that it is not lowered.
    pub(super) in_own_loop: bool,
    /// Whether called functions must be known to be deterministic.
    pub(super) is_strict: bool,
    /// Whether the value of the code is saved, so that it may differ in a repeated step.
    pub(super) computes_once: bool,
}

impl<'a> Checker<'a> {
    pub(super) fn new(
        function: Function<'a>,
        levels: &'a Levels,
        diagnostics: &'a Diagnostics,
    ) -> Self {
        let span = function.signature.ident.span();
        let names = Names::new(Imports::around(span));
        Self {
            function,
            levels,
            diagnostics,
            locals: LocalTypes::of(function.signature, &names),
            names,
            region: Region::default(),
            broken: Vec::new(),
            replaced: Vec::new(),
            definitions: Definitions::around(span),
            is_compiled: false,
            in_own_loop: false,
            is_strict: false,
            computes_once: false,
        }
    }

    /// Reports that `tokens` break `rule`, at the level that the attribute sets. `cannot` completes the sentence “a
    /// workflow cannot”.
    pub(super) fn report(
        &mut self,
        rule: Rule,
        tokens: &dyn ToTokens,
        cannot: impl Display,
        help: &str,
    ) {
        if self.computes_once && VARIES.contains(&rule) {
            return;
        }
        self.broken.push(rule);
        let message = format!("{} cannot {cannot}", self.function.what);
        let help = self.with_context_name(help);
        match self.levels.of(rule) {
            Level::Allow => {}
            Level::Warn => {
                let first = tokens.to_token_stream().into_iter().next();
                let span = first.map_or_else(Span::call_site, |tree| tree.span());
                self.diagnostics.warning(span, rule, message, &help);
            }
            Level::Deny => self.diagnostics.error_at(tokens, rule, message, &help),
        }
    }

    pub(super) fn broken_count(&self, rule: Rule) -> usize {
        self.broken.iter().filter(|broken| **broken == rule).count()
    }

    /// Replaces `cx` in `help` by the name of the function's context.
    pub(super) fn with_context_name(&self, help: &str) -> String {
        if !help.contains("cx.") {
            return help.to_owned();
        }
        match context_name(self.function.signature) {
            Some(name) => help.replace("cx.", &format!("{name}.")),
            None => format!("{help}\n  help: {}", self.function.without_context),
        }
    }

    /// Checks a function in the body as a part of the body.
    pub(super) fn visit_nested(&mut self, signature: &Signature, block: &Block) {
        let locals = std::mem::replace(&mut self.locals, LocalTypes::of(signature, &self.names));
        let region = Region::of_function(signature.asyncness.is_some());
        let in_own_loop = std::mem::take(&mut self.in_own_loop);
        self.within(region, |checker| checker.visit_block(block));
        self.in_own_loop = in_own_loop;
        self.locals = locals;
    }
}

impl<'ast> Visit<'ast> for Checker<'_> {
    fn visit_block(&mut self, block: &'ast Block) {
        self.names.enter(block);
        let entered = self.locals.enter();
        let known = self.definitions.count();
        for (index, stmt) in block.stmts.iter().enumerate() {
            self.check_declarations(block, index);
            self.visit_stmt(stmt);
        }
        self.definitions.forget(known);
        self.locals.leave(entered);
        self.names.leave();
    }

    fn visit_item(&mut self, item: &'ast Item) {
        match item {
            Item::Fn(function) if attribute_named(&OURS, &function.attrs).is_some() => {}
            Item::Fn(function) => {
                self.check_unsafe_function(&function.sig);
                self.visit_nested(&function.sig, &function.block);
            }
            Item::Impl(item) => {
                self.check_unsafe_impl(item);
                visit::visit_item_impl(self, item);
            }
            Item::Static(item) => {
                self.check_static(item);
                self.within(Region::constant(), |checker| checker.visit_expr(&item.expr));
            }
            Item::Const(item) => {
                self.within(Region::constant(), |checker| checker.visit_expr(&item.expr));
            }
            Item::Macro(item) if item.ident.is_some() => {
                self.definitions.add(item);
                // The macro's code runs where it is called.
                self.check_names_in(&item.mac);
            }
            Item::Macro(item) => self.visit_macro(&item.mac),
            Item::Trait(item) => visit::visit_item_trait(self, item),
            // The names in modules are their own, and other items have no code.
            _ => {}
        }
    }

    fn visit_impl_item_fn(&mut self, function: &'ast syn::ImplItemFn) {
        self.check_unsafe_function(&function.sig);
        self.visit_nested(&function.sig, &function.block);
    }

    fn visit_trait_item_fn(&mut self, function: &'ast syn::TraitItemFn) {
        if let Some(block) = &function.default {
            self.visit_nested(&function.sig, block);
        }
    }

    fn visit_local(&mut self, local: &'ast syn::Local) {
        self.check_local(local);
        let is_map =
            local.init.as_ref().is_some_and(|init| self.locals.looped(&init.expr).is_some());
        let kind = match self.is_given_file_path(local) {
            true => Kind::FilePath,
            false if is_map => Kind::Hashed,
            false => Kind::Other,
        };
        visit::visit_pat(self, &local.pat);
        if let (Pat::Ident(pat), true) = (split_type(&local.pat).0, kind != Kind::Other) {
            self.locals.bind(pat.ident.to_string(), kind);
        }
    }

    fn visit_pat_ident(&mut self, pattern: &'ast syn::PatIdent) {
        self.locals.bind(pattern.ident.to_string(), Kind::Other);
        visit::visit_pat_ident(self, pattern);
    }

    fn visit_pat_guard(&mut self, guarded: &'ast syn::PatGuard) {
        self.visit_pat(&guarded.pat);
        let check = |checker: &mut Self| checker.visit_expr(&guarded.guard);
        if self.is_machine() { self.within(Region::guard(), check) } else { check(self) }
    }

    fn visit_expr_call(&mut self, call: &'ast syn::ExprCall) {
        self.check_call(call, false);
    }

    fn visit_expr_method_call(&mut self, call: &'ast syn::ExprMethodCall) {
        self.check_method_call(call);
    }

    fn visit_expr_path(&mut self, path: &'ast syn::ExprPath) {
        self.check_path(path);
    }

    fn visit_expr_for_loop(&mut self, expr: &'ast syn::ExprForLoop) {
        self.check_loop(expr);
        self.visit_expr(&expr.expr);
        let outer = std::mem::replace(&mut self.in_own_loop, !suspend::block(&expr.body));
        self.visit_pat(&expr.pat);
        self.visit_block(&expr.body);
        self.in_own_loop = outer;
    }

    fn visit_expr_while(&mut self, expr: &'ast syn::ExprWhile) {
        let is_own = !suspend::expr(&expr.cond) && !suspend::block(&expr.body);
        let outer = std::mem::replace(&mut self.in_own_loop, is_own);
        visit::visit_expr_while(self, expr);
        self.in_own_loop = outer;
    }

    fn visit_expr_loop(&mut self, expr: &'ast syn::ExprLoop) {
        let outer = std::mem::replace(&mut self.in_own_loop, !suspend::block(&expr.body));
        visit::visit_expr_loop(self, expr);
        self.in_own_loop = outer;
    }

    fn visit_expr_repeat(&mut self, expr: &'ast syn::ExprRepeat) {
        self.visit_expr(&expr.expr);
        self.within(Region::constant(), |checker| checker.visit_expr(&expr.len));
    }

    fn visit_expr_unsafe(&mut self, expr: &'ast syn::ExprUnsafe) {
        self.check_unsafe_block(expr);
        visit::visit_expr_unsafe(self, expr);
    }

    fn visit_expr_await(&mut self, expr: &'ast syn::ExprAwait) {
        self.check_await(&expr.await_token);
        self.visit_operation(&expr.base);
    }

    fn visit_expr_async(&mut self, expr: &'ast syn::ExprAsync) {
        let region = self.region.async_block();
        self.within(region, |checker| checker.visit_block(&expr.block));
    }

    fn visit_expr_closure(&mut self, expr: &'ast syn::ExprClosure) {
        let region = Region::closure(expr.asyncness.is_some());
        self.within(region, |checker| visit::visit_expr_closure(checker, expr));
    }

    fn visit_expr_const(&mut self, expr: &'ast syn::ExprConst) {
        self.within(Region::constant(), |checker| checker.visit_block(&expr.block));
    }

    fn visit_macro(&mut self, mac: &'ast syn::Macro) {
        self.check_macro(mac);
    }

    fn visit_type(&mut self, _: &'ast Type) {
        // Types have no effects.
    }
}

/// The rules about values that differ between repetitions.
const VARIES: [Rule; 7] = [
    Rule::CLOCK,
    Rule::ENVIRONMENT,
    Rule::RANDOM,
    Rule::SHARED_STATE,
    Rule::STRICT,
    Rule::THREAD_LOCAL,
    Rule::UNORDERED_MAP,
];

/// Attributes of functions that are checked separately.
const OURS: [&str; 3] = ["workflow", "activity", "deterministic"];

/// The name of the parameter `cx: &Context`.
pub(super) fn context_name(signature: &Signature) -> Option<&Ident> {
    // In a method, the context follows `self`.
    signature.inputs.iter().take(2).find_map(|input| {
        let FnArg::Typed(input) = input else { return None };
        let (Pat::Ident(pattern), Type::Reference(reference)) = (&*input.pat, &*input.ty) else {
            return None;
        };
        let Type::Path(path) = &*reference.elem else { return None };
        names_of_piton(&path.path, "Context").then_some(&pattern.ident)
    })
}
