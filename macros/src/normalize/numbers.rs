//! What is called with nothing but numbers.
//!
//! A closure without types of its parameters gets them from its calls. Made again in a part of the
//! function in which all calls give it plain numbers, it would take an `i32`, whatever rustc has seen in
//! the others.

use std::collections::HashSet;

use proc_macro2::{Delimiter, TokenStream, TokenTree};
use quote::ToTokens;
use syn::{ExprClosure, Ident, Pat, ReturnType};

use super::collect_bindings;
use super::items::{Counts, count};

/// The names of what is called so somewhere in `tokens`, by argument.
pub(super) type CalledWithNumbers = HashSet<(String, usize)>;

/// Finds the calls.
pub(super) fn find(tokens: TokenStream, called: &mut CalledWithNumbers) {
    let mut name = None;
    for tree in tokens {
        if let TokenTree::Group(group) = &tree {
            if let Some(name) = name.take()
                && group.delimiter() == Delimiter::Parenthesis
            {
                let arguments = numbers_among(group.stream());
                called.extend(arguments.map(|index| (String::clone(&name), index)));
            }
            find(group.stream(), called);
        }
        name = match tree {
            TokenTree::Ident(ident) => Some(ident.to_string()),
            _ => None,
        };
    }
}

/// Which of the arguments have a number that nothing beside it gives a type.
fn numbers_among(arguments: TokenStream) -> impl Iterator<Item = usize> {
    let are_numbers: Vec<bool> = split(arguments).iter().map(|one| is_number(one)).collect();
    are_numbers.into_iter().enumerate().filter(|(_, is_number)| *is_number).map(|(index, _)| index)
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

/// Whether the closure `name` may take something else where it is made again: a parameter without a type
/// is given a number, and the body has nothing that it would have to go with.
pub(super) fn may_change(closure: &ExprClosure, name: &str, called: &CalledWithNumbers) -> bool {
    let mut inputs = closure.inputs.iter().enumerate();
    inputs.any(|(index, input)| !is_typed(input) && called.contains(&(name.to_owned(), index)))
        && matches!(closure.output, ReturnType::Default)
        && !goes_with_others(closure)
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

fn is_typed(input: &Pat) -> bool {
    matches!(input, Pat::Type(_))
}
