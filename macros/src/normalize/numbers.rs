//! Closures and constructors that are called with nothing but numbers.
//!
//! A closure without types of its parameters gets them from its calls. Made again in a part of the
//! function in which all calls give it plain numbers, it would take an `i32`, whatever rustc has seen in
//! the others.

use proc_macro2::{Delimiter, TokenStream, TokenTree};
use quote::ToTokens;
use syn::{ExprClosure, Ident, Pat, ReturnType};

use super::collect_bindings;
use super::items::{Counts, count};

/// Whether the closure `name` of a `body` may take something else where it is made again: a parameter
/// without a type is given a number, and the closure has nothing that it would have to go with.
pub(super) fn may_change(closure: &ExprClosure, name: &Ident, body: &TokenStream) -> bool {
    let untyped: Vec<usize> = (0..)
        .zip(&closure.inputs)
        .filter(|(_, input)| !is_typed(input))
        .map(|(at, _)| at)
        .collect();
    !untyped.is_empty()
        && matches!(closure.output, ReturnType::Default)
        && !goes_with_others(closure)
        && is_given_number(name, &untyped, body.clone())
}

/// Whether the body of a closure names anything but parameters without types.
fn goes_with_others(closure: &ExprClosure) -> bool {
    let mut untyped = Vec::new();
    let inputs = closure.inputs.iter().filter(|input| !is_typed(input));
    inputs.for_each(|input| collect_bindings(input, &mut untyped));
    let mut named = Counts::new();
    count(closure.body.to_token_stream(), &mut named);
    named
        .keys()
        .any(|name| syn::parse_str::<Ident>(name).is_ok_and(|name| !untyped.contains(&name)))
}

/// Whether one of the arguments `at` these places of a call of `name` has a number that nothing beside it
/// gives a type.
pub(super) fn is_given_number(name: &Ident, at: &[usize], tokens: TokenStream) -> bool {
    has_call(name, tokens, &|arguments| {
        let arguments = split(arguments);
        at.iter().any(|at| arguments.get(*at).is_some_and(|argument| is_number(argument)))
    })
}

/// Whether `name` is called in `tokens`.
pub(super) fn is_called(name: &Ident, tokens: TokenStream) -> bool {
    has_call(name, tokens, &|_| true)
}

/// Whether `name` is called in `tokens` with such arguments.
fn has_call(name: &Ident, tokens: TokenStream, is_wanted: &dyn Fn(TokenStream) -> bool) -> bool {
    let mut is_callee = false;
    tokens.into_iter().any(|tree| {
        let is_name = matches!(&tree, TokenTree::Ident(ident) if ident == name);
        let was_callee = std::mem::replace(&mut is_callee, is_name);
        let TokenTree::Group(group) = tree else { return false };
        let is_call = was_callee && group.delimiter() == Delimiter::Parenthesis;
        is_call && is_wanted(group.stream()) || has_call(name, group.stream(), is_wanted)
    })
}

fn split(list: TokenStream) -> Vec<Vec<TokenTree>> {
    let is_comma = |tree: &TokenTree| matches!(tree, TokenTree::Punct(at) if at.as_char() == ',');
    let list: Vec<TokenTree> = list.into_iter().collect();
    list.split(is_comma).map(<[TokenTree]>::to_vec).collect()
}

fn is_number(tokens: &[TokenTree]) -> bool {
    if let [TokenTree::Group(group)] = tokens {
        return split(group.stream()).iter().any(|part| is_number(part));
    }
    let is_plain = |tree: &TokenTree| match tree {
        TokenTree::Literal(literal) => match syn::parse2(literal.to_token_stream()) {
            Ok(syn::Lit::Int(number)) => number.suffix().is_empty(),
            Ok(syn::Lit::Float(number)) => number.suffix().is_empty(),
            _ => false,
        },
        TokenTree::Group(_) => is_number(std::slice::from_ref(tree)),
        TokenTree::Ident(_) | TokenTree::Punct(_) => false,
    };
    tokens.iter().any(is_plain) && !tokens.iter().any(has_name)
}

fn has_name(tree: &TokenTree) -> bool {
    match tree {
        TokenTree::Ident(_) => true,
        TokenTree::Group(group) => group.stream().into_iter().any(|tree| has_name(&tree)),
        TokenTree::Punct(_) | TokenTree::Literal(_) => false,
    }
}

fn is_typed(input: &Pat) -> bool {
    matches!(input, Pat::Type(_))
}
