//! Effects and reads of changing values. A step may be repeated, so it must contain neither.

use quote::{ToTokens, quote};
use syn::visit::Visit;
use syn::{
    Expr, ExprCall, ExprForLoop, ExprMethodCall, ExprPath, ExprUnsafe, GenericArgument, ItemImpl,
    Local, Macro, Pat, Path, PathSegment, Signature, Type,
};

use super::awaits::Region;
use super::checker::{Checker, context_name};
use super::macros::{MacroCode, code, is_replaced};
use super::paths::Refused;
use super::{maps, paths};
use crate::diagnostics::rules::Rule;
use crate::syntax::hygiene::spelled;
use crate::syntax::macros::captures;
use crate::syntax::suspend;

/// The refusal of `unsafe` code.
pub(super) const UNSAFE: Refused = Refused {
    rule: Rule::UNSAFE_CODE,
    what: "cannot be checked",
    help: "move it into an `#[activity]`, or into a safe function outside that only computes",
};

impl Checker<'_> {
    /// Refuses functions by path.
    pub(super) fn check_path(&mut self, path: &ExprPath) {
        if !self.check_callee(path) {
            self.check_known(path);
        }
        if let Some(qself) = &path.qself {
            self.visit_type(&qself.ty);
        }
    }

    /// As [`check_path`](Self::check_path). Returns whether the path was refused.
    fn check_callee(&mut self, path: &ExprPath) -> bool {
        if self.check_shared(&path.path) {
            return true;
        }
        let resolved = match &path.qself {
            // `<Instant>::now`, `<HashMap<_, _> as Default>::default`
            Some(qself) => {
                let Type::Path(ty) = &*qself.ty else { return false };
                let own = path.path.segments.iter().skip(qself.position);
                let own = own.map(|segment| segment.ident.to_string());
                self.names.resolve(&ty.path).map(|ty| ty.into_iter().chain(own).collect())
            }
            None => self.names.resolve(&path.path),
        };
        let Some(resolved): Option<Vec<String>> = resolved else { return false };
        let Some(refused) = paths::find(&resolved) else { return false };
        let written = shown(path);
        let (rule, what, help) = (refused.rule, refused.what, refused.help);
        self.report(rule, path, format!("use `{written}`, which {what}"), help);
        true
    }

    /// Checks a call. If its function is refused, its arguments are not reported.
    pub(super) fn check_call(&mut self, call: &ExprCall, is_awaited: bool) {
        let is_refused = match &*call.func {
            Expr::Path(path) => {
                let is_refused = self.check_callee(path);
                if !is_refused && !is_awaited {
                    self.check_known(path);
                }
                is_refused
            }
            other => {
                self.visit_expr(other);
                false
            }
        };
        for argument in &call.args {
            if !is_refused || !matches!(argument, Expr::Async(_) | Expr::Closure(_)) {
                self.visit_expr(argument);
            }
        }
    }

    pub(super) fn check_method_call(&mut self, call: &ExprMethodCall) {
        self.check_shared_receiver(call);
        if let Some(map) = self.locals.gone_through(call) {
            self.report_order(map);
        }
        if let Some(ty) = call.turbofish.iter().flat_map(|list| &list.args).find_map(|argument| {
            let GenericArgument::Type(ty) = argument else { return None };
            maps::hashed(ty, &self.names)
        }) {
            self.report_hashed(ty);
        }
        let before = self.broken.len();
        match &*call.receiver {
            // Iterating over a hash map is allowed if the result has an order of its own.
            Expr::MethodCall(receiver)
                if maps::collects_in_order(call)
                    && self.locals.gone_through(receiver).is_some() => {}
            receiver => self.visit_expr(receiver),
        }
        self.check_method(call, before);
        let is_within = self.computes_once(call);
        let outer = std::mem::replace(&mut self.computes_once, is_within);
        for argument in &call.args {
            match argument {
                Expr::Async(block) if self.is_of_context(call, "spawn") => {
                    self.within(Region::spawned_block(), |checker| {
                        checker.visit_block(&block.block)
                    });
                }
                argument => self.visit_expr(argument),
            }
        }
        self.computes_once = outer;
    }

    /// Whether the call's argument computes a value that is saved: the closure of `cx.side_effect(|| …)`.
    fn computes_once(&self, call: &ExprMethodCall) -> bool {
        self.computes_once || self.is_of_context(call, "side_effect")
    }

    /// Whether the call is of this method of the workflow's context.
    fn is_of_context(&self, call: &ExprMethodCall, method: &str) -> bool {
        let is_context = |path: &ExprPath| {
            let name = context_name(self.function.signature);
            name.is_some_and(|name| path.path.is_ident(name))
        };
        call.method == method && matches!(&*call.receiver, Expr::Path(path) if is_context(path))
    }

    pub(super) fn check_loop(&mut self, expr: &ExprForLoop) {
        if let Some(map) = self.locals.looped(&expr.expr) {
            self.report_order(map);
        }
    }

    pub(super) fn check_local(&mut self, local: &Local) {
        let ty = match &local.pat {
            Pat::Type(pattern) => Some(&*pattern.ty),
            _ => None,
        };
        let before = self.broken_count(Rule::UNORDERED_MAP);
        if let Some(init) = &local.init {
            match (ty, &*init.expr) {
                // `let sorted: BTreeMap<_, _> = map.into_iter().collect();`
                (Some(ty), Expr::MethodCall(call))
                    if maps::is_ordered(ty)
                        && call.method == "collect"
                        && matches!(&*call.receiver, Expr::MethodCall(receiver)
                            if self.locals.gone_through(receiver).is_some()) => {}
                (_, expr) => self.visit_expr(expr),
            }
            if let Some((_, diverge)) = &init.diverge {
                self.visit_expr(diverge);
            }
        }
        if let Some(ty) = ty.and_then(|ty| maps::hashed(ty, &self.names))
            && self.broken_count(Rule::UNORDERED_MAP) == before
        {
            self.report_hashed(ty);
        }
    }

    fn report_hashed(&mut self, ty: &Type) {
        let Type::Path(path) = ty else { return };
        let Some(resolved) = self.names.resolve(&path.path) else { return };
        let (Some(last), Some(name)) = (path.path.segments.last(), resolved.last()) else { return };
        let help = format!("use `{}`", name.replace("Hash", "BTree"));
        self.report(
            Rule::UNORDERED_MAP,
            &last.ident,
            format!("create a `{}`, whose order differs from process to process", last.ident),
            &help,
        );
    }

    fn report_order(&mut self, map: &Expr) {
        let name = text(map);
        self.report(
            Rule::UNORDERED_MAP,
            map,
            format!("iterate over `{name}`, whose order differs from process to process"),
            &format!(
                "take a `BTreeMap` or `BTreeSet`, or sort first: `let {name}: BTreeMap<_, _> = \
                 {name}.into_iter().collect();`"
            ),
        );
    }

    pub(super) fn check_unsafe_block(&mut self, expr: &ExprUnsafe) {
        self.report_unsafe(&expr.unsafe_token);
    }

    pub(super) fn check_unsafe_function(&mut self, signature: &Signature) {
        if let syn::Safety::Unsafe(token) = &signature.safety {
            self.report_unsafe(token);
        }
    }

    pub(super) fn check_unsafe_impl(&mut self, item: &ItemImpl) {
        if let Some(token) = &item.unsafety {
            self.report_unsafe(token);
        }
    }

    pub(super) fn report_unsafe(&mut self, token: &dyn ToTokens) {
        self.report(
            UNSAFE.rule,
            token,
            format!("contain `unsafe` code, which {}", UNSAFE.what),
            UNSAFE.help,
        );
    }

    pub(super) fn check_macro(&mut self, mac: &Macro) {
        if let Some(refused) =
            self.names.resolve(&mac.path).and_then(|path| paths::find_macro(&path))
        {
            let name = path_text(&mac.path);
            let (path, bang) = (&mac.path, &mac.bang_token);
            let message = format!("use `{name}!`, which {}", refused.what);
            return self.report(refused.rule, &quote!(#path #bang), message, refused.help);
        }
        let name = mac.path.get_ident().cloned();
        if self.check_own_macro(name.as_slice()) || self.check_definition(mac) {
            return;
        }
        self.note_replaced(mac);
        self.check_names_behind(mac);
        match code(mac) {
            Some(MacroCode { patterns, expressions, operations }) => {
                for pattern in &patterns {
                    self.visit_pat(pattern);
                }
                for expression in &expressions {
                    self.check_captured(expression);
                    self.visit_expr(expression);
                }
                for operation in &operations {
                    self.visit_operation(operation);
                }
            }
            None => self.check_tokens(mac),
        }
    }

    /// Refuses statics that a format string names.
    fn check_captured(&mut self, format: &Expr) {
        let Expr::Lit(syn::ExprLit { lit: syn::Lit::Str(text), .. }) = format else { return };
        for name in captures(&text.value()) {
            let path = Path::from(spelled(&name, text.span()));
            self.check_shared(&path);
        }
    }

    fn note_replaced(&mut self, mac: &Macro) {
        let is_of_the_source = !mac.path.is_ident(suspend::MACRO);
        let name = mac.path.get_ident().filter(|_| is_of_the_source && is_replaced(mac));
        let name = name.filter(|name| !self.replaced.contains(name));
        self.replaced.extend(name.cloned());
    }

    /// Checks a macro call whose tokens may not be code.
    fn check_tokens(&mut self, mac: &Macro) {
        let names = self.check_names_in(mac);
        let own = names.macros.iter().filter(|path| self.check_own_macro(path)).count();
        if let Some(token) = names.first_await.filter(|_| own == 0) {
            self.check_await_in_unknown(mac, &token);
        }
    }
}

/// The path without generic arguments, for messages.
fn shown(path: &ExprPath) -> String {
    match &path.qself {
        Some(qself) => {
            let own = names(path.path.segments.iter().skip(qself.position));
            match &*qself.ty {
                Type::Path(ty) => format!("{}::{own}", path_text(&ty.path)),
                _ => own,
            }
        }
        None => path_text(&path.path),
    }
}

fn path_text(path: &syn::Path) -> String {
    names(path.segments.iter())
}

fn names<'a>(segments: impl Iterator<Item = &'a PathSegment>) -> String {
    let names: Vec<String> = segments.map(|segment| segment.ident.to_string()).collect();
    names.join("::")
}

fn text(tokens: &dyn ToTokens) -> String {
    tokens.to_token_stream().to_string().replace(' ', "")
}
