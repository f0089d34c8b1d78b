//! Whether a workflow continues as another one.

use proc_macro2::{Delimiter, Ident, TokenStream, TokenTree};

/// Whether the code calls `continue_as_new` with anything but a call of the workflow `own`. The search is by tokens,
/// because the call may be within a macro such as `select!`.
pub(crate) fn as_another(code: TokenStream, own: &Ident) -> bool {
    let mut tokens = code.into_iter();
    while let Some(token) = tokens.next() {
        match token {
            TokenTree::Ident(word) if word == "continue_as_new" => {
                let call = tokens.find_map(|token| match token {
                    TokenTree::Group(call) if call.delimiter() == Delimiter::Parenthesis => {
                        Some(call.stream())
                    }
                    _ => None,
                });
                if call.is_some_and(|next| !is_call_of(next, own)) {
                    return true;
                }
            }
            TokenTree::Group(group) if as_another(group.stream(), own) => return true,
            _ => {}
        }
    }
    false
}

/// Whether the tokens are a call `own(…)`.
fn is_call_of(code: TokenStream, own: &Ident) -> bool {
    let mut tokens = code.into_iter();
    matches!(tokens.next(), Some(TokenTree::Ident(word)) if word == *own)
        && matches!(tokens.next(), Some(TokenTree::Group(_)))
}

#[cfg(test)]
mod tests {
    use proc_macro2::Span;
    use quote::quote;

    use super::*;

    #[test]
    fn a_call_of_another_workflow_is_seen_wherever_it_stands() {
        let own = Ident::new("bill", Span::call_site());
        for (code, expected) in [
            (quote!(return cx.continue_as_new(bill(month + 1));), false),
            (quote!(cx.sleep(x).await; bill(1)), false),
            (quote!(return cx.continue_as_new(close(month));), true),
            (quote!(select! { _ = a() => cx.continue_as_new::<_, ()>(crate::close(1)) }), true),
            (quote!(cx.continue_as_new(next)), true),
            (quote!({ cx.continue_as_new(bill(1)) } { cx.continue_as_new(bill::close(1)) }), true),
        ] {
            assert_eq!(as_another(code.clone(), &own), expected, "{code}");
        }
    }
}
