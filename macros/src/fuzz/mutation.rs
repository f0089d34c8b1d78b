//! Changes of token trees.

use proc_macro2::{Delimiter, Group, Ident, TokenStream, TokenTree};
use proptest::prelude::*;

use super::sources::{SNIPPETS, SOURCES, tokens};

/// One change at one place. Numbers are reduced to what there is.
#[derive(Clone, Debug)]
pub(super) enum Mutation {
    Delete(usize),
    /// Deletes a few neighbors.
    DeleteRange(usize, usize),
    Duplicate(usize),
    SwapWithNext(usize),
    /// Exchanges two groups, wherever they are.
    SwapGroups(usize, usize),
    Insert(usize, usize),
    Replace(usize, usize),
    /// Puts a token of another workflow in place of this one.
    Graft(usize, usize, usize),
    /// Puts a few neighbors of another workflow before this token: often a whole statement.
    Splice(usize, usize, usize, usize),
    /// Takes the delimiters of a group away.
    Unwrap(usize),
    Wrap(usize, usize),
    /// Puts one identifier of the workflow in place of another one.
    Rename(usize, usize),
    /// The same wherever that other one stands.
    RenameAll(usize, usize),
}

/// Any change.
pub(super) fn mutation() -> impl Strategy<Value = Mutation> {
    use Mutation::*;
    let place = || 0_usize..10_000;
    prop_oneof![
        place().prop_map(Delete),
        (place(), 1_usize..8).prop_map(|(at, count)| DeleteRange(at, count)),
        place().prop_map(Duplicate),
        place().prop_map(SwapWithNext),
        (place(), place()).prop_map(|(a, b)| SwapGroups(a, b)),
        (place(), 0..SNIPPETS.len()).prop_map(|(at, what)| Insert(at, what)),
        (place(), 0..SNIPPETS.len()).prop_map(|(at, what)| Replace(at, what)),
        (place(), place(), place()).prop_map(|(at, w, n)| Graft(at, w, n)),
        (place(), place(), place(), 1_usize..12)
            .prop_map(|(at, w, n, count)| Splice(at, w, n, count)),
        place().prop_map(Unwrap),
        (place(), 0_usize..3).prop_map(|(at, kind)| Wrap(at, kind)),
        (place(), place()).prop_map(|(at, name)| Rename(at, name)),
        (place(), place()).prop_map(|(at, name)| RenameAll(at, name)),
    ]
}

/// The source after these changes.
pub(super) fn mutated(source: &str, mutations: &[Mutation]) -> TokenStream {
    let mut trees = tokens(source);
    for mutation in mutations {
        mutation.apply(&mut trees);
    }
    trees.into_iter().collect()
}

impl Mutation {
    fn apply(&self, trees: &mut Vec<TokenTree>) {
        if trees.is_empty() {
            return;
        }
        match *self {
            Self::Delete(place) => at(trees, place, |list, index| drop(list.remove(index))),
            Self::DeleteRange(place, count) => at(trees, place, |list, index| {
                list.drain(index..(index + count).min(list.len()));
            }),
            Self::Duplicate(place) => {
                at(trees, place, |list, index| list.insert(index, list[index].clone()));
            }
            Self::SwapWithNext(place) => at(trees, place, |list, index| {
                let next = (index + 1) % list.len();
                list.swap(index, next);
            }),
            Self::SwapGroups(a, b) => swap_groups(trees, a, b),
            Self::Insert(place, what) => at(trees, place, |list, index| {
                list.splice(index..index, tokens(SNIPPETS[what]));
            }),
            Self::Replace(place, what) => at(trees, place, |list, index| {
                list.splice(index..=index, tokens(SNIPPETS[what]));
            }),
            Self::Graft(place, source, from) => {
                let donor = neighbors(source, from, 1);
                at(trees, place, |list, index| drop(list.splice(index..=index, donor)));
            }
            Self::Splice(place, source, from, count) => {
                let donor = neighbors(source, from, count);
                at(trees, place, |list, index| drop(list.splice(index..index, donor)));
            }
            Self::Unwrap(place) => at(trees, place, |list, index| {
                if let Some(inner) = children(&list[index]) {
                    list.splice(index..=index, inner);
                }
            }),
            Self::Wrap(place, kind) => at(trees, place, |list, index| {
                let kinds = [Delimiter::Parenthesis, Delimiter::Brace, Delimiter::Bracket];
                let inner = TokenStream::from(list[index].clone());
                list[index] = Group::new(kinds[kind], inner).into();
            }),
            Self::Rename(place, name) => {
                let Some(name) = ident(trees, name) else { return };
                let mut number = place % count(trees, is_ident).max(1);
                visit(trees, &mut |list, index| {
                    if !is_ident(&list[index]) {
                        return false;
                    }
                    let is_it = number == 0;
                    if is_it {
                        list[index] = name.clone().into();
                    }
                    number = number.wrapping_sub(1);
                    is_it
                });
            }
            Self::RenameAll(old, new) => {
                let (Some(old), Some(new)) = (ident(trees, old), ident(trees, new)) else { return };
                visit(trees, &mut |list, index| {
                    if matches!(&list[index], TokenTree::Ident(ident) if *ident == old) {
                        list[index] = new.clone().into();
                    }
                    false
                });
            }
        }
    }
}

fn is_ident(tree: &TokenTree) -> bool {
    matches!(tree, TokenTree::Ident(_))
}

fn is_group(tree: &TokenTree) -> bool {
    matches!(tree, TokenTree::Group(_))
}

fn children(tree: &TokenTree) -> Option<Vec<TokenTree>> {
    match tree {
        TokenTree::Group(group) => Some(group.stream().into_iter().collect()),
        _ => None,
    }
}

/// How many token trees are such, groups and what is in them included.
fn count(trees: &[TokenTree], wanted: fn(&TokenTree) -> bool) -> usize {
    let each =
        |tree| usize::from(wanted(tree)) + children(tree).map_or(0, |inner| count(&inner, wanted));
    trees.iter().map(each).sum()
}

/// Shows every token tree with the list that it is in, until `body` says that it is done.
fn visit(
    trees: &mut Vec<TokenTree>,
    body: &mut dyn FnMut(&mut Vec<TokenTree>, usize) -> bool,
) -> bool {
    let mut index = 0;
    while index < trees.len() {
        if body(trees, index) {
            return true;
        }
        if let Some(TokenTree::Group(group)) = trees.get(index) {
            let (delimiter, mut inner) = (group.delimiter(), group.stream().into_iter().collect());
            let done = visit(&mut inner, body);
            trees[index] = Group::new(delimiter, inner.into_iter().collect()).into();
            if done {
                return true;
            }
        }
        index += 1;
    }
    false
}

/// Calls `change` with the list that this token is in, and its index there.
fn at(trees: &mut Vec<TokenTree>, place: usize, change: impl FnOnce(&mut Vec<TokenTree>, usize)) {
    let mut place = place % count(trees, |_| true).max(1);
    let mut change = Some(change);
    visit(trees, &mut |list, index| {
        if place > 0 {
            place -= 1;
            return false;
        }
        if let Some(change) = change.take() {
            change(list, index);
        }
        true
    });
}

/// A copy of an identifier in `trees`.
fn ident(trees: &mut Vec<TokenTree>, number: usize) -> Option<Ident> {
    let mut number = number % count(trees, is_ident).max(1);
    let mut found = None;
    visit(trees, &mut |list, index| {
        if let TokenTree::Ident(ident) = &list[index] {
            if number == 0 {
                found = Some(ident.clone());
            }
            number = number.wrapping_sub(1);
        }
        found.is_some()
    });
    found
}

/// A few neighbors in another workflow.
fn neighbors(source: usize, from: usize, most: usize) -> Vec<TokenTree> {
    let mut donor = tokens(&SOURCES[source % SOURCES.len()]);
    let mut out = Vec::new();
    at(&mut donor, from, |list, index| {
        out = list[index..(index + most).min(list.len())].to_vec();
    });
    out
}

/// Exchanges two groups, unless one is in the other.
fn swap_groups(trees: &mut Vec<TokenTree>, a: usize, b: usize) {
    let all = count(trees, is_group).max(1);
    let (first, second) = ((a % all).min(b % all), (a % all).max(b % all));
    let mut found: Vec<TokenTree> = Vec::new();
    let mut number = 0;
    visit(trees, &mut |list, index| {
        if is_group(&list[index]) {
            if number == first || number == second {
                found.push(list[index].clone());
            }
            number += 1;
        }
        false
    });
    let [one, other] = found.as_slice() else { return };
    let inside = first + count(std::slice::from_ref(one), is_group);
    if second < inside {
        return;
    }
    let (one, other) = (one.clone(), other.clone());
    // Groups are counted as they are seen, and what has been put in is counted, too.
    let shift = count(std::slice::from_ref(&other), is_group) as isize
        - count(std::slice::from_ref(&one), is_group) as isize;
    let mut number = 0_isize;
    visit(trees, &mut |list, index| {
        if is_group(&list[index]) {
            if number == first as isize {
                list[index] = other.clone();
            } else if number == second as isize + shift {
                list[index] = one.clone();
                return true;
            }
            number += 1;
        }
        false
    });
}

#[test]
fn groups_change_places() {
    let text = |trees: Vec<TokenTree>| trees.into_iter().collect::<TokenStream>().to_string();
    let mut trees = tokens("f (a (b)) [c] { d }");
    swap_groups(&mut trees, 3, 0);
    assert_eq!(text(trees), text(tokens("f { d } [c] (a (b))")));
    let mut trees = tokens("f (a (b)) [c]");
    swap_groups(&mut trees, 0, 1);
    assert_eq!(text(trees), text(tokens("f (a (b)) [c]")), "one is in the other");
}

#[test]
fn names_change() {
    let text = |trees: Vec<TokenTree>| trees.into_iter().collect::<TokenStream>().to_string();
    let mut trees = tokens("f(a, (b, a))");
    Mutation::RenameAll(1, 2).apply(&mut trees);
    assert_eq!(text(trees), text(tokens("f(b, (b, b))")));
    let mut trees = tokens("f(a, (b, a))");
    Mutation::Rename(3, 0).apply(&mut trees);
    assert_eq!(text(trees), text(tokens("f(a, (b, f))")));
}
