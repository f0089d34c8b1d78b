//! Raw identifiers, `r#x`.
//!
//! `r#x` and `x` are the same name, and only keywords need the `r#`. The passes identify names by their text, so
//! each name gets one spelling: with `r#` if it is a keyword, otherwise without.

use proc_macro2::{Group, Ident, TokenStream, TokenTree};
use syn::visit_mut::{self, VisitMut};
use syn::{ItemFn, Macro};

use crate::syntax::macros;
use crate::syntax::names::is_plain;

/// Removes the `r#` that names do not need from a function, including its macros.
pub(crate) fn write_plainly(function: &mut ItemFn) {
    Plainly.visit_item_fn_mut(function);
}

struct Plainly;

impl VisitMut for Plainly {
    fn visit_ident_mut(&mut self, ident: &mut Ident) {
        if let Some(plain) = plain(ident) {
            *ident = plain;
        }
    }

    fn visit_macro_mut(&mut self, mac: &mut Macro) {
        visit_mut::visit_macro_mut(self, mac);
        if !macros::is_literal(mac) && has_raw(mac.tokens.clone()) {
            mac.tokens = tokens(std::mem::take(&mut mac.tokens));
        }
    }
}

/// The name without its `r#`, if it needs none.
fn plain(ident: &Ident) -> Option<Ident> {
    let name = ident.to_string();
    let plain = name.strip_prefix("r#").filter(|plain| *plain != "gen" && is_plain(plain))?;
    Some(Ident::new(plain, ident.span()))
}

fn has_raw(tokens: TokenStream) -> bool {
    tokens.into_iter().any(|tree| match tree {
        TokenTree::Ident(ident) => plain(&ident).is_some(),
        TokenTree::Group(group) => has_raw(group.stream()),
        TokenTree::Punct(_) | TokenTree::Literal(_) => false,
    })
}

/// As [`write_plainly`], except in `stringify!`, which prints the name as written.
fn tokens(tokens: TokenStream) -> TokenStream {
    let mut after_stringify = false;
    let plainly = tokens.into_iter().map(|tree| match tree {
        TokenTree::Ident(ident) => {
            after_stringify = ident == "stringify";
            plain(&ident).unwrap_or(ident).into()
        }
        TokenTree::Group(group) if !after_stringify => {
            let mut new = Group::new(group.delimiter(), self::tokens(group.stream()));
            new.set_span(group.span());
            new.into()
        }
        other => {
            after_stringify &= matches!(&other, TokenTree::Punct(bang) if bang.as_char() == '!');
            other
        }
    });
    plainly.collect()
}

#[cfg(test)]
mod tests {
    use quote::ToTokens;
    use syn::parse_quote;

    use super::*;

    #[test]
    fn only_keywords_keep_what_they_need() {
        let mut function: ItemFn = parse_quote! {
            fn r#f(r#a: r#T, r#type: u8) -> u8 {
                let r#S { r#b, r#fn: c } = r#m!(r#a.r#b, [r#in, stringify!(r#c)]);
                r#d.r#e(r#gen, stringify!(r#a))
            }
        };
        write_plainly(&mut function);
        let expected: ItemFn = parse_quote! {
            fn f(a: T, r#type: u8) -> u8 {
                let S { b, r#fn: c } = m!(a.b, [r#in, stringify!(r#c)]);
                d.e(r#gen, stringify!(r#a))
            }
        };
        assert_eq!(function.to_token_stream().to_string(), expected.to_token_stream().to_string());
    }
}
