//! Names with the same spelling that rustc distinguishes by hygiene: a macro's own names, and those that its caller
//! passes.
//!
//! ```text
//! macro_rules! sum { ($name:ident, $x:ident) => { #[workflow] async fn $name(x: i64, $x: i64) -> i64 { x + $x } } }
//! sum!(both, x);
//! ```
//!
//! Input: a function as written. Output: the same function with one of the two renamed, `x_2`, and likewise for
//! labels. Guarantees: variables with the same name are the same variable to rustc, so later passes can identify
//! them by their text. Assumes that rustc prints the syntax context in the debug form of a span, because no stable
//! API returns it. If rustc could resolve a name in two contexts, as for a procedural macro, generated code makes
//! rustc check it.

use std::collections::{BTreeMap, BTreeSet};

use proc_macro2::{Ident, Span, TokenStream};
use quote::{ToTokens, quote};
use syn::buffer::Cursor;
use syn::ext::IdentExt;
use syn::visit_mut::{self, VisitMut};
use syn::{Expr, ItemFn, Lifetime, LitStr, Macro, PatIdent};

use crate::diagnostics::Diagnostics;
use crate::syntax::hygiene::Names;
use crate::syntax::macros;
use crate::syntax::macros::Piece;
use crate::syntax::patterns::is_binding;
use crate::syntax::select::Select;

/// In which expansion a name has been written.
type Context = u32;

/// The context of a span, out of `#3 bytes(10..20)`. Where there is no rustc, all are one.
fn context(span: Span) -> Context {
    let shown = format!("{span:?}");
    let number = shown.strip_prefix('#').and_then(|rest| rest.split(' ').next());
    number.and_then(|number| number.parse().ok()).unwrap_or_default()
}

/// Whether names come from several expansions. Most often they do not, and there is nothing to tell apart.
pub(crate) fn are_several(tokens: Cursor<'_>) -> bool {
    fn differ(mut tokens: Cursor<'_>, first: &mut Option<Context>) -> bool {
        loop {
            let found = match (tokens.ident(), tokens.literal()) {
                (Some((ident, _)), _) => Some(context(ident.span())),
                (None, Some((literal, _))) => Some(context(literal.span())),
                (None, None) => None,
            };
            if found.is_some_and(|found| *first.get_or_insert(found) != found) {
                return true;
            }
            tokens = if let Some((inner, _, _, rest)) = tokens.any_group() {
                if differ(inner, first) {
                    return true;
                }
                rest
            } else if let Some((_, rest)) = tokens.token_tree() {
                rest
            } else {
                return false;
            };
        }
    }
    differ(tokens, &mut None)
}

/// Gives names that are not one different texts.
pub(crate) fn tell_apart(function: &mut ItemFn, diagnostics: &Diagnostics) {
    let mut pass = Pass::default();
    pass.visit_item_fn_mut(function);
    let mut names = Names::of(function.to_token_stream());
    pass.ask_of_jumps(diagnostics);
    for (name, each) in &pass.variables {
        for (context, other) in &each[1..] {
            diagnostics.emit(ask_of_variables(&each[0].1, other));
            pass.renamed.insert((name.clone(), *context), names.fresh(other).to_string());
        }
    }
    for (name, each) in &pass.labels {
        for (context, other) in &each[1..] {
            diagnostics.emit(ask_of_labels(&each[0].1, other));
            pass.renamed_labels.insert((name.clone(), *context), names.fresh(other).to_string());
        }
    }
    if !pass.renamed.is_empty() || !pass.renamed_labels.is_empty() {
        pass.renames = true;
        pass.visit_item_fn_mut(function);
    }
}

/// Has rustc say whether two variables of one name are two. If not, they are not of one type.
fn ask_of_variables(one: &Ident, other: &Ident) -> TokenStream {
    quote! {
        #[allow(unused_variables, clippy::all)]
        const _: fn() = || {
            struct OneVariable;
            struct AnotherVariable;
            let #one = OneVariable;
            let #other = AnotherVariable;
            let _: OneVariable = #one;
        };
    }
}

/// The same of two labels.
fn ask_of_labels(one: &Ident, other: &Ident) -> TokenStream {
    let (one, other) = (label(one), label(other));
    quote! {
        #[allow(unused_labels, unreachable_code, clippy::all)]
        const _: fn() = || {
            struct OneLabel;
            struct AnotherLabel;
            let _: OneLabel = #one: {
                let _: AnotherLabel = #other: {
                    break #one OneLabel;
                };
                OneLabel
            };
        };
    }
}

fn label(name: &Ident) -> Lifetime {
    Lifetime { apostrophe: name.span(), ident: name.clone() }
}

/// The names that are bound, each with the contexts that it is bound in, in the order of the source, and where first.
type Bound = BTreeMap<String, Vec<(Context, Ident)>>;

/// Its text, which is the same with and without `r#`.
fn text(name: &Ident) -> String {
    name.unraw().to_string()
}

fn add(bound: &mut Bound, name: &Ident) {
    let (each, from) = (bound.entry(text(name)).or_default(), context(name.span()));
    if each.iter().all(|(context, _)| *context != from) {
        each.push((from, name.clone()));
    }
}

/// Finds the names that are bound, and then renames some.
#[derive(Default)]
struct Pass {
    variables: Bound,
    labels: Bound,
    /// The labels that are jumped to.
    jumps: Vec<Ident>,
    /// The texts that names get.
    renamed: BTreeMap<(String, Context), String>,
    renamed_labels: BTreeMap<(String, Context), String>,
    renames: bool,
}

impl Pass {
    /// Has rustc refuse jumps to labels that they do not see. The machine has labels of its own.
    fn ask_of_jumps(&self, diagnostics: &Diagnostics) {
        let mut asked = BTreeSet::new();
        for jump in &self.jumps {
            let (name, from) = (text(jump), context(jump.span()));
            let Some(each) = self.labels.get(&name) else { continue };
            if each.iter().any(|(context, _)| *context == from) || !asked.insert((name, from)) {
                continue;
            }
            let jump = label(jump);
            let ask = each
                .iter()
                .map(|(_, name)| label(name))
                .fold(quote!({ break #jump }), |inner, label| quote!(#label: { #inner }));
            diagnostics.emit(quote! {
                #[allow(unused_labels, unreachable_code, clippy::all)]
                const _: fn() = || #ask;
            });
        }
    }

    fn bind(&mut self, name: &mut Ident) {
        if !self.renames {
            add(&mut self.variables, name);
        } else if let Some(new) = self.renamed(name) {
            *name = new;
        }
    }

    fn renamed(&self, name: &Ident) -> Option<Ident> {
        self.renamed_text(&text(name), name.span()).map(|new| Ident::new(new, name.span()))
    }

    /// The new text of a name in code at the span.
    fn renamed_text(&self, name: &str, span: Span) -> Option<&str> {
        if self.renamed.is_empty() {
            return None;
        }
        self.renamed.get(&(name.to_owned(), context(span))).map(String::as_str)
    }

    fn label(&mut self, label: &mut Lifetime, is_jump: bool) {
        if self.renames {
            let key = (text(&label.ident), context(label.ident.span()));
            if let Some(new) = self.renamed_labels.get(&key) {
                label.ident = Ident::new(new, label.ident.span());
            }
        } else if is_jump {
            self.jumps.push(label.ident.clone());
        } else {
            add(&mut self.labels, &label.ident);
        }
    }

    /// What nobody has read: what it binds is not known.
    fn tokens(&mut self, tokens: &mut TokenStream) {
        if self.renames {
            *tokens = macros::rename_tokens(std::mem::take(tokens), &|name| self.renamed(name));
        }
    }

    /// What a format string captures has the context of the string. The `named` arguments are no variables.
    fn format(&self, text: &LitStr, named: &[String]) -> Option<LitStr> {
        let rename = |name: &str| {
            let new = self.renamed_text(name, text.span())?;
            (!named.iter().any(|named| named == name)).then(|| new.to_owned())
        };
        let renamed = macros::rename_captures(&text.value(), rename);
        (renamed != text.value()).then(|| LitStr::new(&renamed, text.span()))
    }
}

impl VisitMut for Pass {
    fn visit_pat_ident_mut(&mut self, pat: &mut PatIdent) {
        if is_binding(pat) {
            self.bind(&mut pat.ident);
        }
        if let Some((_, pat)) = &mut pat.subpat {
            self.visit_pat_mut(pat);
        }
    }

    fn visit_field_pat_mut(&mut self, field: &mut syn::FieldPat) {
        let before = field.colon_token.is_none().then(|| field.pat.to_token_stream().to_string());
        self.visit_pat_mut(&mut field.pat);
        if before.is_some_and(|before| before != field.pat.to_token_stream().to_string()) {
            field.colon_token = Some(Default::default());
        }
    }

    fn visit_expr_path_mut(&mut self, expr: &mut syn::ExprPath) {
        if let (true, None, Some(name)) = (self.renames, &expr.qself, expr.path.get_ident())
            && let Some(new) = self.renamed(name)
        {
            expr.path = new.into();
        }
    }

    fn visit_field_value_mut(&mut self, field: &mut syn::FieldValue) {
        let is_short = field.colon_token.is_none();
        let before = field.expr.clone();
        self.visit_expr_mut(&mut field.expr);
        if is_short && before != field.expr {
            field.colon_token = Some(Default::default());
        }
    }

    fn visit_label_mut(&mut self, label: &mut syn::Label) {
        self.label(&mut label.name, false);
    }

    fn visit_expr_break_mut(&mut self, expr: &mut syn::ExprBreak) {
        if let Some(label) = &mut expr.label {
            self.label(label, true);
        }
        visit_mut::visit_expr_break_mut(self, expr);
    }

    fn visit_expr_continue_mut(&mut self, expr: &mut syn::ExprContinue) {
        if let Some(label) = &mut expr.label {
            self.label(label, true);
        }
    }

    fn visit_macro_mut(&mut self, mac: &mut Macro) {
        if macros::is_literal(mac) {
            return;
        }
        if let Some(mut select) = Select::of(mac) {
            select.visit_mut(self);
            if self.renames {
                mac.tokens = select.into_token_stream();
            }
            return;
        }
        let Some(mut pieces) = macros::parse(mac) else { return self.tokens(&mut mac.tokens) };
        let name = macros::name(mac);
        let named = macros::named_arguments(&pieces, macros::format_string(mac, &pieces));
        for piece in &mut pieces {
            match piece {
                Piece::Expr(expr, _) => match macros::literal_text(expr) {
                    Some(text) => {
                        if let Some(new) = self.format(text, &named) {
                            let lit = syn::Lit::Str(new);
                            **expr = Expr::Lit(syn::ExprLit { attrs: Vec::new(), lit });
                        }
                    }
                    None => self.visit_expr_mut(expr),
                },
                Piece::Tokens(tokens) if name == "matches" => {
                    if let Some((mut pat, mut guard)) = macros::matches_pattern(mac, tokens) {
                        self.visit_pat_mut(&mut pat);
                        guard.iter_mut().for_each(|guard| self.visit_expr_mut(guard));
                        let guard = guard.map(|guard| quote!(if #guard));
                        *tokens = quote!(#pat #guard);
                    }
                }
                Piece::Tokens(_) => {}
            }
        }
        if self.renames {
            mac.tokens = macros::unparse(&pieces);
        }
    }

    // The names in a definition are its own.
    fn visit_item_macro_mut(&mut self, _: &mut syn::ItemMacro) {}
}
