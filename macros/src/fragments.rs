//! What a macro by example puts in place of `$value:expr` stays together.
//!
//! ```text
//! macro_rules! doubled { ($name:ident, $value:expr) => { #[workflow] async fn $name() -> i64 { $value * 2 } } }
//! doubled!(six, 1 + 2);
//! ```
//!
//! rustc hands such a fragment over in a group without delimiters, and forgets about the group when it reads the
//! tokens that it gets back (rust-lang/rust#67062): `1 + 2 * 2`. So it gets parentheses, in the arguments of
//! macros, too, unless nothing around it could take it apart.

use proc_macro2::{Delimiter, Group, TokenStream, TokenTree};
use syn::Expr;
use syn::buffer::{Cursor, TokenBuffer};
use syn::parse::{Parse, ParseStream, Parser};

/// Reads tokens, which are [`kept_together`] before if there is need. Most often there is none, and to see that
/// takes no more than to read them.
pub(crate) fn read<T: Parse>(tokens: &mut TokenStream) -> syn::Result<T> {
    let unless_split = |input: ParseStream| {
        if has_fragments(input.cursor()) {
            input.parse::<TokenStream>()?;
            return Ok(None);
        }
        input.parse().map(Some)
    };
    if let Some(read) = unless_split.parse2(tokens.clone())? {
        return Ok(read);
    }
    *tokens = kept_together(std::mem::take(tokens));
    syn::parse2(tokens.clone())
}

/// The tokens, with parentheses around expressions that have come as one fragment.
pub(crate) fn kept_together(tokens: TokenStream) -> TokenStream {
    if !has_fragments(TokenBuffer::new2(tokens.clone()).begin()) {
        return tokens;
    }
    let mut out = TokenStream::new();
    let mut is_attribute = false;
    let mut rest = tokens.into_iter().peekable();
    while let Some(tree) = rest.next() {
        let TokenTree::Group(group) = tree else {
            is_attribute = match &tree {
                TokenTree::Punct(at) if at.as_char() == '!' => is_attribute,
                TokenTree::Punct(at) => at.as_char() == '#',
                _ => false,
            };
            out.extend([tree]);
            continue;
        };
        let inner = match std::mem::take(&mut is_attribute) {
            true => group.stream(),
            false => kept_together(group.stream()),
        };
        let mut delimiter = group.delimiter();
        if delimiter == Delimiter::None
            && let Ok(expr) = syn::parse2::<Expr>(inner.clone())
        {
            if may_be_split(&expr, rest.peek()) {
                delimiter = Delimiter::Parenthesis;
            } else if is_one(&expr) {
                // The passes read it as rustc will.
                out.extend(inner);
                continue;
            }
        }
        let mut kept = Group::new(delimiter, inner);
        kept.set_span(group.span());
        out.extend([TokenTree::Group(kept)]);
    }
    out
}

fn has_fragments(mut tokens: Cursor<'_>) -> bool {
    loop {
        tokens = if let Some((inner, delimiter, _, rest)) = tokens.any_group() {
            if delimiter == Delimiter::None || has_fragments(inner) {
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

/// Whether what is around an expression could take a part of it. Types, statements and what else is no
/// expression are left as they are.
fn may_be_split(expr: &Expr, next: Option<&TokenTree>) -> bool {
    match expr {
        // What is in a field would be a method.
        Expr::Field(_) => is_call(next),
        // It may be a type.
        Expr::Reference(expr) => is_taken_apart_by(next) || may_be_split(&expr.expr, next),
        Expr::Group(_) | Expr::Let(_) | Expr::Verbatim(_) => false,
        // It may be a statement, or the body of a function.
        Expr::Async(_)
        | Expr::Block(_)
        | Expr::Const(_)
        | Expr::ForLoop(_)
        | Expr::If(_)
        | Expr::Loop(_)
        | Expr::Match(_)
        | Expr::TryBlock(_)
        | Expr::Unsafe(_)
        | Expr::While(_) => {
            matches!(next, Some(TokenTree::Punct(at)) if !";,=#".contains(at.as_char()))
        }
        expr => !is_one(expr),
    }
}

/// Whether an expression is as good as a name where nothing takes it apart.
fn is_one(expr: &Expr) -> bool {
    matches!(
        expr,
        Expr::Array(_)
            | Expr::Await(_)
            | Expr::Call(_)
            | Expr::Field(_)
            | Expr::Index(_)
            | Expr::Infer(_)
            | Expr::Lit(_)
            | Expr::Macro(_)
            | Expr::MethodCall(_)
            | Expr::Paren(_)
            | Expr::Path(_)
            | Expr::Reference(_)
            | Expr::Repeat(_)
            | Expr::Try(_)
            | Expr::Tuple(_)
    )
}

/// Whether what follows a borrow would be said of what is borrowed.
fn is_taken_apart_by(next: Option<&TokenTree>) -> bool {
    match next {
        Some(TokenTree::Punct(punct)) => matches!(punct.as_char(), '.' | '?'),
        Some(TokenTree::Group(group)) => group.delimiter() == Delimiter::Bracket || is_call(next),
        _ => false,
    }
}

fn is_call(next: Option<&TokenTree>) -> bool {
    matches!(next, Some(TokenTree::Group(group)) if group.delimiter() == Delimiter::Parenthesis)
}

#[cfg(test)]
mod tests {
    use quote::quote;

    use super::*;

    fn fragment(tokens: TokenStream) -> Group {
        Group::new(Delimiter::None, tokens)
    }

    #[test]
    fn an_expression_gets_parentheses_and_nothing_else_does() {
        let (sum, name) = (fragment(quote!(1 + 2)), fragment(quote!(name)));
        let (ty, meta) = (fragment(quote!(Vec<i64>)), fragment(quote!(doc = "x")));
        let (block, branches) = (fragment(quote!({ 1 })), fragment(quote!(if a { 1 } else { 2 })));
        let nested = fragment(quote!(#sum * 2));
        let (borrow, given) = (fragment(quote!(&name)), fragment(quote!(&|x| x)));
        let field = fragment(quote!(a.b));
        let tokens = quote! {
            #[#meta]
            fn f(x: #ty, y: #borrow) -> i64 #block
            h(#borrow, #borrow.len(), #borrow == 1, #given, #field.c, #field(1));
            g(#sum * 2, #name, -#nested, #branches * 2); #branches
        };
        let kept = kept_together(tokens).to_string();
        let expected = quote! {
            #[doc = "x"]
            fn f(x: Vec<i64>, y: &name) -> i64 { 1 }
            h(&name, (&name).len(), &name == 1, (&|x| x), a.b.c, (a.b)(1));
            g((1 + 2) * 2, name, -((1 + 2) * 2), (if a { 1 } else { 2 }) * 2);
            if a { 1 } else { 2 }
        };
        let flat = |text: &str| text.replace(char::is_whitespace, "");
        assert_eq!(flat(&kept), flat(&expected.to_string()));
    }
}
