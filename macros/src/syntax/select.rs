//! The syntax of `select!`, `join!` and `try_join!`.

use proc_macro2::TokenStream;
use quote::{ToTokens, quote};
use syn::parse::{Parse, ParseStream};
use syn::spanned::Spanned;
use syn::token::Paren;
use syn::visit_mut::VisitMut;
use syn::{Attribute, Expr, Ident, Macro, Pat, PatParen, Token};

use super::{macros, suspend};

/// The arguments of `select!`.
#[derive(Debug)]
pub(crate) struct Select {
    pub(crate) arms: Vec<SelectSource>,
    /// Whether it begins with `biased;`.
    pub(crate) is_biased: bool,
}

/// `pat = future, if cond => handler`, or the final `else => handler`.
#[derive(Debug)]
pub(crate) struct SelectSource {
    /// `#[state("…")]`
    pub(crate) attrs: Vec<Attribute>,
    pub(crate) pat: Pat,
    pub(crate) future: Expr,
    pub(crate) cond: Option<Expr>,
    pub(crate) handler: Expr,
    /// Whether it is the `else`, which has the pattern `_` and the future `()`.
    pub(crate) is_else: bool,
}

impl Select {
    /// Parses a macro call, if it is a `select!`.
    pub(crate) fn of(mac: &Macro) -> Option<Self> {
        match suspend::awaiting(mac) {
            Some(suspend::Awaiting::Select) => mac.parse_body().ok(),
            _ => None,
        }
    }

    /// Visits the parts in source order.
    pub(crate) fn visit_mut(&mut self, visitor: &mut impl VisitMut) {
        for SelectSource { pat, future, cond, handler, .. } in &mut self.arms {
            visitor.visit_pat_mut(pat);
            visitor.visit_expr_mut(future);
            cond.iter_mut().for_each(|cond| visitor.visit_expr_mut(cond));
            visitor.visit_expr_mut(handler);
        }
    }
}

/// Visits the code in the arguments of a macro, as far as its grammar is known.
pub(crate) fn visit_code_mut(mac: &mut Macro, visitor: &mut impl VisitMut) {
    match Select::of(mac) {
        Some(mut select) => {
            select.visit_mut(visitor);
            mac.tokens = select.into_token_stream();
        }
        None => {
            macros::visit_exprs_mut(mac, |expr| visitor.visit_expr_mut(expr));
        }
    }
}

impl Parse for Select {
    fn parse(input: ParseStream) -> syn::Result<Self> {
        let is_biased = input.peek(Ident) && input.peek2(Token![;]);
        if is_biased {
            let word: Ident = input.parse()?;
            if word != "biased" {
                return Err(syn::Error::new(word.span(), "expected a branch or `biased;`"));
            }
            input.parse::<Token![;]>()?;
        }
        let mut arms = Vec::new();
        while !input.is_empty() {
            if input.peek(Token![else]) && !arms.is_empty() {
                arms.push(otherwise(input)?);
                break;
            }
            let attrs = input.call(Attribute::parse_outer)?;
            let pat = for_a_let(Pat::parse_multi_with_leading_vert(input)?);
            if input.peek(Token![=>]) {
                let expected =
                    "expected `pattern = operation => …`, or `else => …` as the last branch";
                return Err(syn::Error::new(pat.span(), expected));
            }
            input.parse::<Token![=]>()?;
            let future: Expr = input.parse()?;
            let cond = if input.peek(Token![,]) {
                input.parse::<Token![,]>()?;
                input.parse::<Token![if]>()?;
                Some(input.parse()?)
            } else {
                None
            };
            input.parse::<Token![=>]>()?;
            let handler = Expr::parse_with_earlier_boundary_rule(input)?;
            let needs_comma = !matches!(handler, Expr::Block(_));
            arms.push(SelectSource { attrs, pat, future, cond, handler, is_else: false });
            if input.peek(Token![,]) {
                input.parse::<Token![,]>()?;
            } else if needs_comma && !input.is_empty() {
                return Err(input.error("expected a comma"));
            }
        }
        if arms.is_empty() {
            return Err(input.error("`select!` needs at least one branch"));
        }
        Ok(Self { arms, is_biased })
    }
}

/// Parses `else => handler`.
pub(crate) fn otherwise(input: ParseStream) -> syn::Result<SelectSource> {
    input.parse::<Token![else]>()?;
    input.parse::<Token![=>]>()?;
    let handler = Expr::parse_with_earlier_boundary_rule(input)?;
    input.parse::<Option<Token![,]>>()?;
    if !input.is_empty() {
        return Err(input.error("`else` must be the last branch of a `select!`"));
    }
    let (pat, future) = (syn::parse_quote!(_), syn::parse_quote!(()));
    Ok(SelectSource { attrs: Vec::new(), pat, future, cond: None, handler, is_else: true })
}

/// The pattern in the form that `let` accepts, with alternatives in parentheses.
pub(crate) fn for_a_let(pat: Pat) -> Pat {
    match pat {
        Pat::Or(_) => Pat::Paren(PatParen {
            attrs: Vec::new(),
            paren_token: Paren(pat.span()),
            pat: Box::new(pat),
        }),
        pat => pat,
    }
}

impl ToTokens for Select {
    fn to_tokens(&self, tokens: &mut TokenStream) {
        if self.is_biased {
            tokens.extend(quote!(biased;));
        }
        for SelectSource { attrs, pat, future, cond, handler, is_else } in &self.arms {
            if *is_else {
                tokens.extend(quote!(else => #handler));
                continue;
            }
            let cond = cond.as_ref().map(|cond| quote!(, if #cond));
            tokens.extend(quote!(#(#attrs)* #pat = #future #cond => #handler,));
        }
    }
}
