//! Names with the same spelling that rustc distinguishes by hygiene: a macro's own names, and those that its caller
//! passes.
//!
//! ```text
//! macro_rules! sum { ($name:ident, $x:ident) => { #[workflow] async fn $name(x: i64, $x: i64) -> i64 { x + $x } } }
//! sum!(both, x);
//! ```
//!
//! Input: a function as written. Output: an error for each such name. Guarantees: variables with the same name are
//! the same variable to rustc, so later passes can identify them by their text. Assumes that rustc prints the
//! syntax context in the debug form of a span, because no stable API returns it.

use std::collections::{BTreeMap, BTreeSet};

use proc_macro2::{Ident, Span};
use quote::quote;
use syn::buffer::Cursor;
use syn::ext::IdentExt;
use syn::visit_mut::{self, VisitMut};
use syn::{ItemFn, Lifetime, Macro, PatIdent};

use crate::diagnostics::Diagnostics;
use crate::diagnostics::rules::Rule;
use crate::syntax::macros;
use crate::syntax::macros::Piece;
use crate::syntax::patterns::is_binding;
use crate::syntax::select::Select;

/// The expansion that a name was written in.
type Context = u32;

/// The context of a span, from its debug form `#3 bytes(10..20)`. Outside rustc, all contexts are equal.
fn context(span: Span) -> Context {
    let shown = format!("{span:?}");
    let number = shown.strip_prefix('#').and_then(|rest| rest.split(' ').next());
    number.and_then(|number| number.parse().ok()).unwrap_or_default()
}

/// Whether names come from several expansions. If not, which is the common case, the check is skipped.
pub(crate) fn are_several(tokens: Cursor<'_>) -> bool {
    let mut first = None;
    any(tokens, &mut |tokens| {
        let ident = tokens.ident().map(|(ident, _)| ident.span());
        let span = ident.or_else(|| tokens.literal().map(|(literal, _)| literal.span()));
        let found = span.map(context);
        found.is_some_and(|found| *first.get_or_insert(found) != found)
    })
}

/// Whether `test` holds at a token, at any depth of groups.
pub(crate) fn any(mut tokens: Cursor<'_>, test: &mut impl FnMut(Cursor<'_>) -> bool) -> bool {
    loop {
        if test(tokens) {
            return true;
        }
        tokens = if let Some((inner, _, _, rest)) = tokens.any_group() {
            if any(inner, test) {
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

/// Reports variables and labels with equal text and different contexts.
pub(crate) fn check(function: &mut ItemFn, diagnostics: &Diagnostics) {
    let mut names = BoundNames::default();
    names.visit_item_fn_mut(function);
    let alike = [("variable `", &names.variables), ("label `'", &names.labels)];
    for (what, bound) in alike {
        for (name, each) in bound {
            let [_, (_, other), ..] = &each[..] else { continue };
            diagnostics.error(
                other.span(),
                Rule::LOCAL_IN_MACRO,
                format!("the macro that generates this workflow and its caller each have a {what}{name}`"),
                "rename one of them",
            );
        }
    }
    names.ask_of_jumps(diagnostics);
}

fn label(name: &Ident) -> Lifetime {
    Lifetime { apostrophe: name.span(), ident: name.clone() }
}

/// The bound names in source order, each with its contexts and the first name of each.
type Bound = BTreeMap<String, Vec<(Context, Ident)>>;

/// The text of a name, without `r#`.
fn text(name: &Ident) -> String {
    name.unraw().to_string()
}

fn add(bound: &mut Bound, name: &Ident) {
    let (each, from) = (bound.entry(text(name)).or_default(), context(name.span()));
    if each.iter().all(|(context, _)| *context != from) {
        each.push((from, name.clone()));
    }
}

/// Collects the bound names.
#[derive(Default)]
struct BoundNames {
    variables: Bound,
    labels: Bound,
    /// The labels of jumps.
    jumps: Vec<Ident>,
}

impl BoundNames {
    /// Lets rustc refuse jumps to labels that hygiene hides. In the machine, the labels are generated.
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
}

impl VisitMut for BoundNames {
    fn visit_pat_ident_mut(&mut self, pat: &mut PatIdent) {
        if is_binding(pat) {
            add(&mut self.variables, &pat.ident);
        }
        if let Some((_, pat)) = &mut pat.subpat {
            self.visit_pat_mut(pat);
        }
    }

    fn visit_label_mut(&mut self, label: &mut syn::Label) {
        add(&mut self.labels, &label.name.ident);
    }

    fn visit_expr_break_mut(&mut self, expr: &mut syn::ExprBreak) {
        self.jumps.extend(expr.label.as_ref().map(|label| label.ident.clone()));
        visit_mut::visit_expr_break_mut(self, expr);
    }

    fn visit_expr_continue_mut(&mut self, expr: &mut syn::ExprContinue) {
        self.jumps.extend(expr.label.as_ref().map(|label| label.ident.clone()));
    }

    fn visit_macro_mut(&mut self, mac: &mut Macro) {
        if macros::is_literal(mac) {
            return;
        }
        if let Some(mut select) = Select::of(mac) {
            select.visit_mut(self);
            return;
        }
        let name = macros::name(mac);
        for piece in macros::parse(mac).unwrap_or_default() {
            match piece {
                Piece::Expr(mut expr, _) => self.visit_expr_mut(&mut expr),
                Piece::Tokens(tokens) if name == "matches" => {
                    if let Some((mut pat, mut guard)) = macros::matches_pattern(mac, &tokens) {
                        self.visit_pat_mut(&mut pat);
                        guard.iter_mut().for_each(|guard| self.visit_expr_mut(guard));
                    }
                }
                Piece::Tokens(_) => {}
            }
        }
    }

    // Names in a definition belong to the definition.
    fn visit_item_macro_mut(&mut self, _: &mut syn::ItemMacro) {}
}
