//! User-defined macros that `stringify!` their arguments, or use them as field names. For a renamed variable, they would
//! print the new name.

use proc_macro2::{TokenStream, TokenTree};
use syn::Macro;
use syn::spanned::Spanned;

use super::definitions::Definitions;
use crate::syntax::macros::definition::{calls, is_punct};

/// Whether the definition of a macro prints its input, as far as the definitions of its file and of the body show.
pub(crate) fn shows_names<'d>(
    mac: &Macro,
    of_body: impl Iterator<Item = &'d syn::ItemMacro>,
) -> bool {
    let mut definitions = Definitions::around(mac.path.span());
    of_body.for_each(|item| definitions.add(item));
    let arms = definitions.arms_called(mac);
    arms.iter().any(|arm| shows(&definitions, &arm.transcriber, 0))
}

/// Whether the tokens print the input, searched `depth` definitions deep.
fn shows(definitions: &Definitions, tokens: &TokenStream, depth: usize) -> bool {
    let trees: Vec<TokenTree> = tokens.clone().into_iter().collect();
    let is = |index: usize, c| is_punct(trees.get(index), c);
    let shown = trees.iter().enumerate().any(|(index, tree)| {
        let before = index.checked_sub(1);
        match tree {
            TokenTree::Group(group) => shows(definitions, &group.stream(), depth),
            // `.$field`, or `$field: value` between others.
            _ if is(index, '$') => {
                let is_field = before.is_some_and(|at| is(at, '.'))
                    && !before.and_then(|at| at.checked_sub(1)).is_some_and(|at| is(at, '.'));
                let begins = before.is_none_or(|at| is(at, ','));
                is_field || begins && is(index + 2, ':') && !is(index + 3, ':')
            }
            TokenTree::Ident(name) => name == "stringify" && is(index + 1, '!'),
            _ => false,
        }
    });
    let shows_behind = |name: &proc_macro2::Ident| {
        let arms = definitions.arms_of_file(std::slice::from_ref(name), None);
        arms.iter().any(|arm| shows(definitions, &arm.transcriber, depth + 1))
    };
    shown || depth < 8 && calls(tokens).iter().any(shows_behind)
}
