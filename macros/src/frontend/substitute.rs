//! Replaces `Self` by the type, and `self` by a variable.
//!
//! Some macros print their arguments, in the message of an assertion or as the name of a field; there, `self` stays. If
//! it is unknown whether a macro prints its argument, the call is refused.

use proc_macro2::{Group, Ident, Spacing, Span, TokenStream, TokenTree};
use quote::{ToTokens, quote};
use syn::spanned::Spanned;
use syn::visit_mut::{self, VisitMut};
use syn::{Expr, Lit, LitStr, Macro, Path};

use crate::diagnostics::Diagnostics;
use crate::diagnostics::rules::Rule;
use crate::frontend::method::respan;
use crate::syntax::hygiene::Names;
use crate::syntax::macros::Piece;
use crate::syntax::macros::stringified::shows_names;
use crate::syntax::select::visit_code_mut;
use crate::syntax::{macros, suspend};

/// Replaces `Self` by the type, and `self` by the parameter, if there is one.
pub(crate) struct Substitute {
    pub(crate) path: Path,
    pub(crate) this: Option<Ident>,
    /// The calls of macros that may print `self`.
    pub(crate) unclear: Vec<Unclear>,
}

/// A call of a macro that may print `self`.
pub(crate) struct Unclear {
    name: String,
    span: Span,
    /// A text argument that may be a format string with `self`.
    text: Option<String>,
}

impl Unclear {
    pub(crate) fn report(&self, diagnostics: &Diagnostics) {
        let name = &self.name;
        let (message, help) = match &self.text {
            Some(text) => (
                format!("`{name}!` may capture `self` named in the string {text:?}"),
                "write `{}`, and pass `self`",
            ),
            None => (
                format!(
                    "a workflow cannot have `{name}!` print the name `self`, which the state machine stores under \
                     another name"
                ),
                "pass a variable: `let value = self.value;`",
            ),
        };
        diagnostics.error(self.span, Rule::CAPTURED_SHADOW, message, help);
    }
}

impl VisitMut for Substitute {
    fn visit_path_mut(&mut self, path: &mut Path) {
        visit_mut::visit_path_mut(self, path);
        let Some(first) = path.segments.first() else { return };
        if first.ident == "Self" {
            let span = first.ident.span();
            let rest = path.segments.iter().skip(1).cloned();
            let mut whole = self.path(span);
            whole.segments.extend(rest);
            *path = whole;
        } else if path.segments.len() == 1
            && first.ident == "self"
            && let Some(this) = self.this(first.ident.span())
        {
            *path = this.into();
        }
    }

    fn visit_macro_mut(&mut self, mac: &mut Macro) {
        if macros::is_literal(mac) {
            return;
        }
        match macros::parse(mac).filter(|_| macros::is_known(mac)) {
            Some(pieces) => self.known(mac, pieces),
            None => {
                let is_unknown = self.this.is_some() && suspend::awaiting(mac).is_none();
                let is_given_self = is_unknown && Names::of(mac.tokens.clone()).has("self");
                visit_code_mut(mac, self);
                if is_unknown {
                    self.note_unclear(mac, is_given_self);
                }
                mac.tokens = self.tokens(std::mem::take(&mut mac.tokens));
            }
        }
    }

    /// Items have a `self` and a `Self` of their own.
    fn visit_item_mut(&mut self, _: &mut syn::Item) {}
}

impl Substitute {
    fn path(&self, span: Span) -> Path {
        let tokens = respan(self.path.to_token_stream(), span);
        // The tokens parsed before, so they parse again.
        syn::parse2(tokens).unwrap_or_else(|_| self.path.clone())
    }

    fn this(&self, span: Span) -> Option<Ident> {
        let this = self.this.as_ref()?;
        Some(Ident::new(&this.to_string(), span))
    }

    fn tokens(&self, tokens: TokenStream) -> TokenStream {
        let mut out = TokenStream::new();
        let mut tokens = tokens.into_iter().peekable();
        while let Some(tree) = tokens.next() {
            let tree = match tree {
                TokenTree::Ident(ident) if ident == "Self" => {
                    out.extend(self.path(ident.span()).into_token_stream());
                    continue;
                }
                TokenTree::Ident(ident) if ident == "self" => {
                    // `self::name` is a path.
                    let is_path = matches!(tokens.peek(), Some(TokenTree::Punct(punct))
                        if punct.as_char() == ':' && punct.spacing() == Spacing::Joint);
                    let this = self.this(ident.span()).filter(|_| !is_path);
                    this.unwrap_or(ident).into()
                }
                TokenTree::Group(group) => {
                    let mut inner = Group::new(group.delimiter(), self.tokens(group.stream()));
                    inner.set_span(group.span());
                    inner.into()
                }
                other => other,
            };
            out.extend([tree]);
        }
        out
    }

    /// Substitutes in a macro of which the printed arguments are known.
    fn known(&mut self, mac: &mut Macro, mut pieces: Vec<Piece>) {
        let message = macros::own_message(mac, &pieces);
        let before = macros::unparse(&pieces).to_string();
        macros::name_fields(mac, &mut pieces);
        let format = macros::format_string(mac, &pieces);
        for (index, piece) in pieces.iter_mut().enumerate() {
            match piece {
                Piece::Expr(expr, _) if format == Some(index) => self.format(expr),
                Piece::Expr(expr, _) => self.visit_expr_mut(expr),
                // The pattern. Names before `=` are not variables.
                Piece::Tokens(tokens) if macros::name(mac) == "matches" => {
                    *tokens = self.tokens(std::mem::take(tokens));
                }
                Piece::Tokens(_) => {}
            }
        }
        let after = macros::unparse(&pieces);
        let is_changed = after.to_string() != before;
        mac.tokens = match (message, &pieces[..]) {
            (Some(message), [Piece::Expr(condition, _), ..]) if is_changed => {
                quote!(#condition, "{}", #message)
            }
            _ => after,
        };
    }

    /// Substitutes in a format string.
    fn format(&self, expr: &mut Expr) {
        let (Some(text), Some(this)) = (macros::literal_text(expr), &self.this) else { return };
        let rename = |name: &str| (name == "self").then(|| this.to_string());
        let renamed = LitStr::new(&macros::rename_captures(&text.value(), rename), text.span());
        *expr = Expr::Lit(syn::ExprLit { attrs: Vec::new(), lit: Lit::Str(renamed) });
    }

    /// Records a call whose meaning depends on the definition of the macro.
    fn note_unclear(&mut self, mac: &Macro, is_given_self: bool) {
        let mut note = |span, text| {
            self.unclear.push(Unclear { name: macros::name(mac), span, text });
        };
        match text_with_self(mac.tokens.clone()) {
            Some(text) => note(text.span(), Some(text.value())),
            None if is_given_self && shows_names(mac, std::iter::empty()) => {
                note(mac.path.span(), None);
            }
            None => {}
        }
    }
}

/// The first text among the tokens that would name `self` as a format string.
fn text_with_self(tokens: TokenStream) -> Option<LitStr> {
    tokens.into_iter().find_map(|tree| match tree {
        TokenTree::Group(group) => text_with_self(group.stream()),
        TokenTree::Literal(literal) => match Lit::new(literal) {
            Lit::Str(text) => {
                let captured = macros::captures(&text.value());
                captured.iter().any(|name| name == "self").then_some(text)
            }
            _ => None,
        },
        TokenTree::Ident(_) | TokenTree::Punct(_) => None,
    })
}
