//! Fields of logging macros that take their name from a variable. The variable may be renamed in the machine.

use proc_macro2::TokenStream;
use quote::{ToTokens, quote};
use syn::{Expr, Macro, Member};

use super::{Piece, Syntax, format_string, is_separator, known, name};

/// Adds explicit names to such fields: `x = %x` for `%x`.
pub(crate) fn name_fields(mac: &Macro, pieces: &mut Vec<Piece>) {
    if !matches!(known(&name(mac)), Some((Syntax::Fields, _))) {
        return;
    }
    let end = format_string(mac, pieces).unwrap_or(pieces.len());
    for index in (0..end).rev() {
        let Piece::Expr(expr, _) = &pieces[index] else { continue };
        let Some(name) = field_name(expr) else { continue };
        let before = index.checked_sub(1).map(|before| &mut pieces[before]);
        match before {
            Some(Piece::Tokens(sign)) if matches!(&*sign.to_string(), "%" | "?") => {
                *sign = quote!(#name = #sign);
            }
            before if before.as_deref().is_none_or(is_separator) => {
                pieces.insert(index, Piece::Tokens(quote!(#name =)));
            }
            _ => {}
        }
    }
}

/// The implicit name of a field, if its value is a variable or a field of one.
fn field_name(expr: &Expr) -> Option<TokenStream> {
    fn is_name(expr: &Expr) -> bool {
        match expr {
            Expr::Path(path) => path
                .path
                .get_ident()
                .is_some_and(|ident| !ident.to_string().starts_with(char::is_uppercase)),
            Expr::Field(field) => matches!(field.member, Member::Named(_)) && is_name(&field.base),
            _ => false,
        }
    }
    is_name(expr).then(|| expr.to_token_stream())
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::syntax::macros::parse;
    use crate::syntax::macros::unparse;

    #[test]
    fn fields_have_their_names_with_or_without_braces() {
        let named = |tokens: TokenStream| {
            let mac: Macro = syn::parse2(tokens).expect("a call");
            let mut pieces = parse(&mac).expect("arguments");
            name_fields(&mac, &mut pieces);
            unparse(&pieces).to_string()
        };
        let same = |one: TokenStream, other: TokenStream| {
            assert_eq!(named(one), other.to_string());
        };
        same(quote!(info!(x, %y, ?z.a)), quote!(x = x, y = % y, z.a = ?z.a));
        same(quote!(info!({ x, a = y, }, "{} {x}", z)), quote!(x = x, a = y, "{} {x}", z));
        same(quote!(warn!({}, "{x}")), quote!("{x}"));
        same(
            quote!(event!(target: "t", Level::INFO, a.b = %x, f(y), z)),
            quote!(target: "t", Level::INFO, a.b = %x, f(y), z = z),
        );
        same(quote!(format!("{}", x)), quote!("{}", x));
    }
}
