//! Names in macros: in arguments that parse as expressions, in format strings, and in other tokens.

use proc_macro2::TokenStream;
use quote::{ToTokens, quote};
use syn::parse::{ParseStream, Parser as _};
use syn::visit_mut::{self, VisitMut};
use syn::{Expr, FieldPat, Ident, ItemMacro, Macro, Pat, PatIdent};

use super::bound_by::BoundBy;
use super::{Binding, Resolver};
use crate::diagnostics::rules::Rule;
use crate::syntax::macros::stringified::shows_names;
use crate::syntax::macros::{Piece, definition, expand};
use crate::syntax::{macros, suspend};

/// Renames the bindings of a pattern.
struct Renamer<'a, 'r>(&'a Resolver<'r>);

impl VisitMut for Renamer<'_, '_> {
    fn visit_pat_ident_mut(&mut self, pat: &mut PatIdent) {
        if let Some(new) = self.0.renamed(&pat.ident) {
            pat.ident = new;
        }
        visit_mut::visit_pat_ident_mut(self, pat);
    }

    fn visit_field_pat_mut(&mut self, field: &mut FieldPat) {
        if let Pat::Ident(pat) = &*field.pat
            && self.0.renamed(&pat.ident).is_some()
        {
            field.colon_token.get_or_insert_with(Default::default);
        }
        self.visit_pat_mut(&mut field.pat);
    }

    fn visit_macro_mut(&mut self, mac: &mut Macro) {
        let tokens = std::mem::take(&mut mac.tokens);
        mac.tokens = macros::rename_tokens(tokens, &|ident| self.0.renamed(ident));
    }
}

impl Resolver<'_> {
    /// Records a macro defined in the body. Its definition sees the locals before it.
    pub(super) fn define_macro(&mut self, item: &ItemMacro) {
        if item.ident.is_none() {
            return;
        }
        let mut named = None;
        for arm in definition::arms(item.mac.tokens.clone()) {
            arm.own_names(&mut |name| {
                let Some(binding) = self.lookup(name) else { return };
                if self.is_local(name, binding) {
                    named.get_or_insert_with(|| name.to_owned());
                }
            });
            // A local that it names through another macro of the body.
            for name in definition::calls(&arm.transcriber) {
                named = named.or_else(|| self.local_named_by(&name));
            }
        }
        self.macros.push((item.clone(), named));
    }

    /// Whether the name denotes a local here, and not a binding of code that stays unchanged.
    fn is_local(&self, name: &str, binding: &Binding) -> bool {
        match binding {
            Binding::Renamed(_) => true,
            // The context is not in `locals`, but the same rules apply to it.
            Binding::Own => self.taken.contains(name),
        }
    }

    /// A local that the definition of this macro of the body names.
    fn local_named_by(&self, name: &Ident) -> Option<String> {
        let mut known = self.macros.iter().rev();
        known.find(|(item, _)| item.ident.as_ref() == Some(name))?.1.clone()
    }

    /// Refuses a macro of the body whose definition names a local: definitions move to the start of the step function,
    /// where no locals are.
    fn check_own_macro(&self, mac: &Macro) {
        let Some(name) = mac.path.get_ident() else { return };
        let Some(local) = self.local_named_by(name) else { return };
        self.diagnostics.error_at(
            &mac.path,
            Rule::LOCAL_IN_MACRO,
            format!("a workflow cannot call `{name}!`, whose definition uses the variable `{local}` without being \
                     passed it"),
            &format!("pass the variable: `(${local}:expr) => …` and `{name}!({local})`"),
        );
    }

    /// Refuses a macro in pattern position that receives a variable's name, because it may bind the name.
    pub(super) fn check_pattern(&mut self, mac: &Macro) {
        let mut given = None;
        macros::scan_names(&mac.tokens, &mut |name| {
            self.own.insert(name.to_owned());
            let is_used = self.lowered && self.taken.contains(name);
            if is_used || self.of_locals.contains(name) {
                given.get_or_insert_with(|| name.to_owned());
            }
        });
        let Some(given) = given else { return };
        let (path, bang, name) = (&mac.path, &mac.bang_token, macros::name(mac));
        self.diagnostics.error_at(
            quote!(#path #bang),
            Rule::LOCAL_IN_MACRO,
            format!("a workflow cannot have `{name}!` bind `{given}` in a pattern"),
            &format!("write the pattern that `{name}!` stands for"),
        );
    }

    pub(super) fn resolve_macro(&mut self, mac: &mut Macro) {
        self.check_own_macro(mac);
        if macros::is_literal(mac) {
            return;
        }
        if suspend::awaiting(mac) == Some(suspend::Awaiting::Select) {
            return self.resolve_select(mac);
        }
        let Some(mut pieces) = macros::parse(mac) else {
            return self.resolve_tokens(mac);
        };
        let message = macros::own_message(mac, &pieces);
        let before = macros::unparse(&pieces).to_string();
        macros::name_fields(mac, &mut pieces);
        let is_known = macros::is_known(mac);
        let visit = match suspend::awaiting(mac) {
            Some(_) => Self::resolve_branch,
            None => Self::visit_expr_mut,
        };
        let format = macros::format_string(mac, &pieces);
        let named = macros::named_arguments(&pieces, format);
        for (index, piece) in pieces.iter_mut().enumerate() {
            match piece {
                Piece::Expr(expr, _) => {
                    if macros::literal_text(expr).is_some() {
                        if !is_known || format == Some(index) {
                            self.resolve_format(expr, is_known, &named);
                        }
                    } else {
                        if is_known {
                            expand::expr(expr);
                        }
                        visit(self, expr);
                    }
                }
                Piece::Tokens(tokens) => {
                    // The second argument of `matches!` is a pattern. Names before `=` are not variables.
                    if macros::name(mac) == "matches" {
                        *tokens = self.rename_pattern(tokens.clone());
                    }
                }
            }
        }
        let awaits = suspend::tokens(mac.tokens.clone());
        let after = macros::unparse(&pieces);
        let is_changed = after.to_string() != before;
        if is_changed {
            if !is_known {
                self.check_shown(mac);
            }
            mac.tokens = after;
        }
        if let (Some(message), [Piece::Expr(condition, _), ..]) = (message, &pieces[..])
            && (is_changed || awaits)
        {
            mac.tokens = quote!(#condition, "{}", #message);
        }
    }

    /// Renames the bindings of a pattern with a guard like the variables of these names in the guard.
    fn rename_pattern(&self, tokens: TokenStream) -> TokenStream {
        let rename = |tokens| macros::rename_tokens(tokens, &|ident| self.renamed(ident));
        let parser = |input: ParseStream<'_>| {
            let mut pat = Pat::parse_multi_with_leading_vert(input)?;
            Renamer(self).visit_pat_mut(&mut pat);
            let guard = rename(input.parse()?);
            Ok(quote!(#pat #guard))
        };
        parser.parse2(tokens.clone()).unwrap_or_else(|_| rename(tokens))
    }

    /// Renames the variables in a format string, except the `named` arguments of the call.
    fn resolve_format(&mut self, expr: &mut Expr, is_known: bool, named: &[String]) {
        let Some(literal) = macros::literal_text(expr) else { return };
        let text = literal.value();
        for name in macros::captures(&text) {
            self.note_use(&name);
        }
        let rename = |name: &str| {
            if named.iter().any(|named| named == name) {
                return None;
            }
            let ident = syn::parse_str::<Ident>(name).ok()?;
            self.renamed(&ident).map(|new| new.to_string())
        };
        let renamed = macros::rename_captures(&text, rename);
        if renamed == text {
            return;
        }
        if is_known {
            let lit = syn::Lit::Str(syn::LitStr::new(&renamed, literal.span()));
            *expr = Expr::Lit(syn::ExprLit { attrs: Vec::new(), lit });
        } else {
            self.report_capture(literal.span(), &text);
        }
    }

    /// In a macro that does not parse as expressions, every name may be a variable.
    fn resolve_tokens(&mut self, mac: &mut Macro) {
        let mut unclear = None;
        find_literals(&mac.tokens, &mut |literal| {
            let text = literal.value();
            let captured = macros::captures(&text);
            if captured.iter().any(|name| matches!(self.lookup(name), Some(Binding::Renamed(_)))) {
                unclear = Some((literal.span(), text));
            }
        });
        if let Some((span, text)) = unclear {
            self.report_capture(span, &text);
        }
        let mut is_renamed = false;
        macros::scan_names(&mac.tokens, &mut |name| {
            self.note_use(name);
            is_renamed |= matches!(self.lookup(name), Some(Binding::Renamed(_)));
        });
        if is_renamed {
            self.check_shown(mac);
        }
        mac.tokens = macros::rename_tokens(mac.tokens.clone(), &|ident| self.renamed(ident));
    }

    /// Refuses a call that receives a renamed variable and prints its name.
    fn check_shown(&self, mac: &Macro) {
        if shows_names(mac, self.macros.iter().map(|(item, _)| item)) {
            let (path, bang, name) = (&mac.path, &mac.bang_token, macros::name(mac));
            self.diagnostics.error_at(
                quote!(#path #bang),
                Rule::CAPTURED_SHADOW,
                format!("a workflow cannot have `{name}!` print the name of a variable that shadows another one"),
                "give the variable a name that no other variable of the workflow has",
            );
        }
    }

    fn report_capture(&self, span: proc_macro2::Span, text: &str) {
        self.diagnostics.error(
            span,
            Rule::CAPTURED_SHADOW,
            format!("this macro may capture a variable named in the string {text:?}"),
            "give the variable a name that no other variable of the workflow has",
        );
    }

    fn resolve_select(&mut self, mac: &mut Macro) {
        let Ok(mut select) = mac.parse_body::<crate::syntax::select::Select>() else {
            // `anf` reports the error.
            return;
        };
        for arm in &mut select.arms {
            expand::expr(&mut arm.handler);
            let bound_by = BoundBy::future(&arm.pat, &arm.future);
            self.resolve_branch(&mut arm.future);
            if let Some(cond) = &mut arm.cond {
                self.visit_expr_mut(cond);
            }
            self.scoped(self.lowered, |this| {
                this.bound_by = bound_by;
                this.bind(&mut arm.pat);
                this.visit_expr_mut(&mut arm.handler);
            });
        }
        mac.tokens = select.into_token_stream();
    }

    /// Visits an awaited operation. An `async` block there is lowered.
    pub(super) fn resolve_branch(&mut self, future: &mut Expr) {
        match future {
            Expr::Async(block) => {
                expand::block(&mut block.block);
                self.scoped(self.lowered, |this| {
                    block.block.stmts.iter_mut().for_each(|stmt| this.visit_stmt_mut(stmt));
                });
            }
            Expr::Paren(expr) => self.resolve_branch(&mut expr.expr),
            Expr::Group(expr) => self.resolve_branch(&mut expr.expr),
            operation => self.visit_expr_mut(operation),
        }
    }
}

fn find_literals(tokens: &proc_macro2::TokenStream, found: &mut impl FnMut(&syn::LitStr)) {
    for tree in tokens.clone() {
        match tree {
            proc_macro2::TokenTree::Group(group) => find_literals(&group.stream(), found),
            proc_macro2::TokenTree::Literal(literal) => {
                if let Ok(text) = syn::parse2::<syn::LitStr>(literal.into_token_stream()) {
                    found(&text);
                }
            }
            _ => {}
        }
    }
}
