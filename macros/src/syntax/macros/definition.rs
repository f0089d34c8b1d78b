//! The content of a `macro_rules!` definition.

use std::collections::HashMap;

use proc_macro2::{Delimiter, Group, Ident, TokenStream, TokenTree};

use super::scan_names;

/// A rule of a macro: its matcher and its transcriber.
#[derive(Clone, Debug)]
pub(crate) struct Arm {
    pub(crate) matcher: TokenStream,
    pub(crate) transcriber: TokenStream,
}

/// The rules in the body of a definition.
pub(crate) fn arms(definition: TokenStream) -> Vec<Arm> {
    let groups = definition.into_iter().filter_map(|tree| match tree {
        TokenTree::Group(group) => Some(group),
        _ => None,
    });
    let groups: Vec<Group> = groups.collect();
    let pairs = groups.chunks_exact(2);
    pairs.map(|pair| Arm { matcher: pair[0].stream(), transcriber: pair[1].stream() }).collect()
}

/// The rules that may match a call.
pub(crate) fn arms_for(definition: TokenStream, call: &TokenStream) -> Vec<Arm> {
    let mut arms = arms(definition);
    arms.retain(|arm| arm.may_match(call));
    arms
}

impl Arm {
    /// Whether the rule may match a call with these tokens, judged by the first token of the matcher.
    fn may_match(&self, call: &TokenStream) -> bool {
        let mut call = call.clone().into_iter();
        for expected in self.matcher.clone() {
            if is_punct(Some(&expected), '$') {
                return true;
            }
            match (expected, call.next()) {
                // In a call within another definition, `$name` may stand for anything.
                (_, Some(given)) if is_punct(Some(&given), '$') => return true,
                (TokenTree::Group(expected), Some(TokenTree::Group(given))) => {
                    return expected.delimiter() == given.delimiter();
                }
                (expected, Some(given)) if expected.to_string() == given.to_string() => {}
                _ => return false,
            }
        }
        call.next().is_none_or(|given| is_punct(Some(&given), '$'))
    }

    /// The fragment specifiers of the matcher's names: `expr` of `$value:expr`.
    pub(crate) fn kinds(&self) -> HashMap<String, String> {
        fn collect(tokens: TokenStream, kinds: &mut HashMap<String, String>) {
            let trees: Vec<TokenTree> = tokens.into_iter().collect();
            for (index, tree) in trees.iter().enumerate() {
                match (tree, trees.get(index + 1), trees.get(index + 2), trees.get(index + 3)) {
                    (TokenTree::Group(group), ..) => collect(group.stream(), kinds),
                    (dollar, Some(TokenTree::Ident(name)), colon, Some(TokenTree::Ident(kind)))
                        if is_punct(Some(dollar), '$') && is_punct(colon, ':') =>
                    {
                        kinds.insert(name.to_string(), kind.to_string());
                    }
                    _ => {}
                }
            }
        }
        let mut kinds = HashMap::new();
        collect(self.matcher.clone(), &mut kinds);
        kinds
    }

    /// Calls `found` with each name in the transcriber that may refer to a variable at the call. Names that the
    /// transcriber declares with `let` are left out.
    pub(crate) fn own_names(&self, found: &mut impl FnMut(&str)) {
        let (mut names, mut declared) = (TokenStream::new(), Vec::new());
        without_parameters(self.transcriber.clone(), &mut names, &mut declared);
        scan_names(&names, &mut |name| {
            if !declared.iter().any(|own| own == name) {
                found(name);
            }
        });
    }
}

/// The names of the macros that are called in `tokens`.
pub(crate) fn calls(tokens: &TokenStream) -> Vec<Ident> {
    let trees: Vec<TokenTree> = tokens.clone().into_iter().collect();
    let mut names = Vec::new();
    for (index, tree) in trees.iter().enumerate() {
        match tree {
            TokenTree::Group(group) => names.extend(calls(&group.stream())),
            TokenTree::Ident(ident) if is_punct(trees.get(index + 1), '!') => {
                names.push(ident.clone());
            }
            _ => {}
        }
    }
    names
}

/// Adds `tokens` to `names`, without metavariables and without names that cannot be variables. Collects the declared
/// names.
fn without_parameters(tokens: TokenStream, names: &mut TokenStream, declared: &mut Vec<String>) {
    let trees: Vec<TokenTree> = tokens.into_iter().collect();
    let mut in_pattern = false;
    for (index, tree) in trees.iter().enumerate() {
        let before = index.checked_sub(1).and_then(|before| trees.get(before));
        let (next, second) = (trees.get(index + 1), trees.get(index + 2));
        match tree {
            TokenTree::Ident(word) if word == "let" || word == "for" => in_pattern = true,
            TokenTree::Ident(word) if word == "in" => in_pattern = false,
            TokenTree::Punct(punct) if matches!(punct.as_char(), '=' | ';') => in_pattern = false,
            _ => {}
        }
        match tree {
            TokenTree::Group(group) => {
                let mut inner = TokenStream::new();
                without_parameters(group.stream(), &mut inner, declared);
                if in_pattern {
                    scan_names(&inner, &mut |name| declared.push(name.to_owned()));
                }
                names.extend([TokenTree::from(Group::new(Delimiter::Parenthesis, inner))]);
            }
            TokenTree::Ident(ident) => {
                let is_path =
                    is_punct(before, ':') && index > 1 && is_punct(trees.get(index - 2), ':')
                        || is_punct(next, ':')
                        || is_punct(next, '!') && !is_punct(second, '=');
                if in_pattern {
                    declared.push(ident.to_string());
                } else if !is_path && !is_punct(before, '$') {
                    names.extend([tree.clone()]);
                }
            }
            other => names.extend([other.clone()]),
        }
    }
}

pub(crate) fn is_punct(tree: Option<&TokenTree>, c: char) -> bool {
    matches!(tree, Some(TokenTree::Punct(punct)) if punct.as_char() == c)
}

#[cfg(test)]
mod tests {
    use quote::quote;

    use super::*;

    #[test]
    fn alternatives_are_told_apart_by_what_they_begin_with() {
        let all =
            arms(quote! { (now $e:expr) => { $e }; (later($e:expr)) => { $e.await }; () => {} });
        let matching = |call: TokenStream| {
            let found = all.iter().enumerate().filter(|(_, arm)| arm.may_match(&call));
            found.map(|(index, _)| index).collect::<Vec<_>>()
        };
        assert_eq!(matching(quote!(now 1)), [0]);
        assert_eq!(matching(quote!(later(1))), [1]);
        assert_eq!(matching(quote!()), [2]);
        assert_eq!(matching(quote!($word 1)), [0, 1, 2]);
        assert_eq!(all[0].kinds()["e"], "expr");
    }

    #[test]
    fn names_of_a_definition_are_those_it_does_not_declare() {
        let all = arms(quote! { ($e:expr, $x:ident) => {{
            let (a, mut b) = $e;
            for c in d.f { a::g!(a, b, c, "{h} {a}", $x, i::j, P { k: l, m }) }
        }} });
        let mut names = Vec::new();
        all[0].own_names(&mut |name| names.push(name.to_owned()));
        names.retain(|name| !["let", "for", "in", "mut"].contains(&name.as_str()));
        assert_eq!(names, ["d", "h", "P", "l", "m"]);
    }
}
