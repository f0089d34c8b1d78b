//! Which rule of a macro matches a call, as far as that is decidable here.

use proc_macro2::{Delimiter, Spacing, TokenStream, TokenTree};
use syn::parse::{Parse, ParseStream, Parser};
use syn::{Expr, Item, Type};

use super::definition::{Arm, is_punct};

/// The alternatives that may take the call: none behind one that surely does.
pub(crate) fn taken(arms: Vec<Arm>, call: &TokenStream) -> Vec<Arm> {
    let mut taken = Vec::new();
    for arm in arms.into_iter().filter(|arm| arm.may_match(call)) {
        match take(&trees(arm.matcher.clone()), trees(call.clone())) {
            Taken::All(rest) if rest.is_empty() => {
                taken.push(arm);
                break;
            }
            Taken::All(_) | Taken::Not => {}
            Taken::Unknown => taken.push(arm),
        }
    }
    taken
}

/// What a matcher makes of a call.
enum Taken {
    /// It takes what stands before these.
    All(Vec<TokenTree>),
    Not,
    Unknown,
}

fn trees(tokens: TokenStream) -> Vec<TokenTree> {
    tokens.into_iter().collect()
}

/// Takes the beginning of `call`.
fn take(matcher: &[TokenTree], mut call: Vec<TokenTree>) -> Taken {
    let mut index = 0;
    while let Some(expected) = matcher.get(index) {
        let taken = if is_punct(Some(expected), '$') {
            let (taken, length) = take_input(&matcher[index + 1..], call);
            index += length;
            taken
        } else {
            take_tree(expected, call)
        };
        match taken {
            Taken::All(rest) => call = rest,
            other => return other,
        }
        index += 1;
    }
    Taken::All(call)
}

fn take_tree(expected: &TokenTree, mut call: Vec<TokenTree>) -> Taken {
    let Some(given) = call.first() else { return Taken::Not };
    match (expected, given) {
        // In a call within another definition, it may stand for anything, as a group without brackets may.
        (_, given) if is_punct(Some(given), '$') => return Taken::Unknown,
        (_, TokenTree::Group(given)) if given.delimiter() == Delimiter::None => {
            return Taken::Unknown;
        }
        (TokenTree::Group(expected), TokenTree::Group(given)) => {
            if expected.delimiter() != given.delimiter() {
                return Taken::Not;
            }
            match take(&trees(expected.stream()), trees(given.stream())) {
                Taken::All(rest) if rest.is_empty() => {}
                Taken::All(_) => return Taken::Not,
                other => return other,
            }
        }
        (expected, given) if expected.to_string() != given.to_string() => return Taken::Not,
        _ => {}
    }
    call.remove(0);
    Taken::All(call)
}

/// Takes what `$name:kind` or `$(…)*` stands for, of which `matcher` is what follows the `$`. Gives the
/// length of that, too.
fn take_input(matcher: &[TokenTree], call: Vec<TokenTree>) -> (Taken, usize) {
    match matcher {
        [TokenTree::Ident(_), colon, TokenTree::Ident(kind), ..] if is_punct(Some(colon), ':') => {
            (take_fragment(&kind.to_string(), call), 3)
        }
        [TokenTree::Group(group), count, ..] if is_count(count) => {
            (take_repeated(&trees(group.stream()), None, count, call), 2)
        }
        [TokenTree::Group(group), between, count, ..] if is_count(count) => {
            (take_repeated(&trees(group.stream()), Some(between), count, call), 3)
        }
        _ => (Taken::Unknown, 0),
    }
}

fn is_count(tree: &TokenTree) -> bool {
    ['*', '+', '?'].iter().any(|c| is_punct(Some(tree), *c))
}

fn take_repeated(
    matcher: &[TokenTree],
    between: Option<&TokenTree>,
    count: &TokenTree,
    mut call: Vec<TokenTree>,
) -> Taken {
    let mut found = 0;
    while !call.is_empty() {
        let mut next = call.clone();
        if let Some(between) = between.filter(|_| found > 0) {
            match take_tree(between, next) {
                Taken::All(rest) if !rest.is_empty() => next = rest,
                Taken::Unknown => return Taken::Unknown,
                _ => break,
            }
        }
        match take(matcher, next) {
            Taken::All(rest) if rest.len() < call.len() => call = rest,
            Taken::Unknown => return Taken::Unknown,
            _ => break,
        }
        found += 1;
        if is_punct(Some(count), '?') {
            break;
        }
    }
    if found == 0 && is_punct(Some(count), '+') { Taken::Not } else { Taken::All(call) }
}

fn take_fragment(kind: &str, mut call: Vec<TokenTree>) -> Taken {
    let Some(first) = call.first() else {
        return if kind == "vis" { Taken::All(call) } else { Taken::Not };
    };
    let is_one = match (kind, first) {
        (_, first) if is_punct(Some(first), '$') => return Taken::Unknown,
        (_, TokenTree::Group(group)) if group.delimiter() == Delimiter::None => {
            return Taken::Unknown;
        }
        ("expr", TokenTree::Ident(word)) if word == "_" || word == "const" => {
            return Taken::Unknown;
        }
        ("expr", _) => return take_parsed::<Expr>(call),
        ("ty", _) => return take_parsed::<Type>(call),
        ("item", _) => return take_parsed::<Item>(call),
        // Several characters may be one operator.
        ("tt", TokenTree::Punct(punct)) if punct.spacing() == Spacing::Joint => {
            return Taken::Unknown;
        }
        ("tt", _) => true,
        ("ident", TokenTree::Ident(ident)) => ident != "_",
        ("ident", _) => false,
        ("literal", TokenTree::Ident(ident)) => ident == "true" || ident == "false",
        ("literal", TokenTree::Literal(_)) => true,
        ("literal", TokenTree::Group(_)) => false,
        ("block", TokenTree::Group(group)) => group.delimiter() == Delimiter::Brace,
        _ => return Taken::Unknown,
    };
    if !is_one {
        return Taken::Not;
    }
    call.remove(0);
    Taken::All(call)
}

/// Where it does not read as one, rustc may still try the next alternative, or give up.
fn take_parsed<T: Parse>(call: Vec<TokenTree>) -> Taken {
    let parser = |input: ParseStream| {
        input.parse::<T>()?;
        input.parse::<TokenStream>()
    };
    match parser.parse2(call.into_iter().collect()) {
        Ok(rest) => Taken::All(trees(rest)),
        Err(_) => Taken::Unknown,
    }
}

#[cfg(test)]
mod tests {
    use quote::quote;

    use super::*;
    use crate::syntax::macros::definition::arms;

    #[test]
    fn the_first_alternative_that_surely_matches_is_the_last_looked_at() {
        let all = arms(quote! {
            (quiet $e:expr) => { 0 };
            ($name:ident = $($e:expr),+ $(,)?) => { 1 };
            ($($key:literal => ($t:ty)),*) => { 2 };
            ($p:pat) => { 3 };
            ($($t:tt)*) => { 4 };
        });
        let taken = |call: TokenStream| {
            let taken = taken(all.clone(), &call).into_iter();
            taken.map(|arm| arm.transcriber.to_string()).collect::<Vec<_>>().join(" ")
        };
        assert_eq!(taken(quote!(quiet f::<a, b>(1))), "0");
        assert_eq!(taken(quote!(x = 1, 2,)), "1");
        assert_eq!(taken(quote!(x = 1, 2 => 3)), "3 4");
        assert_eq!(taken(quote!("a" => (Vec<u8>), "b" => (u8))), "2");
        assert_eq!(taken(quote!("a" => [u8])), "3 4");
        assert_eq!(taken(quote!()), "2");
        assert_eq!(taken(quote!($x)), "0 1 2 3 4");
    }
}
