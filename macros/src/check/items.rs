//! Calls of the user's macros that produce items in the body.
//!
//! An item is visible in its whole block, including code after awaits. rustc expands the macro after the function
//! has been split into blocks, so such a call must be in a place for items.

use std::collections::HashMap;

use proc_macro2::{Delimiter, Span, TokenStream, TokenTree};
use syn::{Block, Item, ItemMacro, Macro, Stmt};

use crate::syntax::macros::definition::is_punct;
use crate::syntax::macros::definitions::{Definitions, is_word, repetition};

/// What the statements are that a macro makes.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(super) struct Made {
    /// Among them are items.
    items: bool,
    /// Among them are items with names that the call gives.
    pub(super) named_by_call: bool,
    /// There are others.
    others: bool,
}

impl Made {
    /// Whether they are items and nothing else.
    pub(super) fn are_items(self) -> bool {
        self.items && !self.others
    }
}

/// Makes items of the macros of a body that stand for nothing else.
pub(crate) fn take_for_items(function: Span, body: &mut Block) {
    if !body.stmts.iter().any(|stmt| matches!(stmt, Stmt::Macro(_))) {
        return;
    }
    let mut definitions = Definitions::around(function);
    for stmt in &mut body.stmts {
        match stmt {
            Stmt::Item(Item::Macro(item)) => definitions.add(item),
            Stmt::Macro(call) if made_by(&definitions, &call.mac).are_items() => {
                let syn::StmtMacro { attrs, mac, semi_token } = call.clone();
                *stmt = Stmt::Item(Item::Macro(ItemMacro { attrs, ident: None, mac, semi_token }));
            }
            _ => {}
        }
    }
}

/// What a call makes, as far as the definitions show it.
pub(super) fn made_by(definitions: &Definitions, mac: &Macro) -> Made {
    let mut made = Made::default();
    for arm in definitions.arms_called(mac) {
        let mut own = Made::default();
        read(arm.transcriber.clone(), &arm.kinds(), &mut own);
        made.items |= own.items;
        made.named_by_call |= own.named_by_call;
        // An alternative that makes nothing is no item.
        made.others |= own.others || !own.items;
    }
    made
}

/// Reads the statements of a definition.
fn read(tokens: TokenStream, kinds: &HashMap<String, String>, made: &mut Made) {
    let trees: Vec<TokenTree> = tokens.into_iter().collect();
    let mut index = 0;
    while index < trees.len() {
        index = read_statement(&trees, index, kinds, made);
    }
}

/// Reads the statement at `index`. Gives where it ends.
fn read_statement(
    trees: &[TokenTree],
    mut index: usize,
    kinds: &HashMap<String, String>,
    made: &mut Made,
) -> usize {
    let is = |index: usize, c| is_punct(trees.get(index), c);
    if is(index, ';') {
        return index + 1;
    }
    if let (true, Some(TokenTree::Group(group))) = (is(index, '$'), trees.get(index + 1)) {
        read(group.stream(), kinds, made);
        return index + 2 + repetition(&trees[index + 2..]);
    }
    let kind = |index: usize| match trees.get(index + 1) {
        Some(TokenTree::Ident(name)) if is(index, '$') => kinds.get(&name.to_string()),
        _ => None,
    };
    if kind(index).is_some_and(|kind| kind == "item") {
        (made.items, made.named_by_call) = (true, true);
        return index + 2;
    }
    // What stands before the word that tells.
    loop {
        let is_parenthesis = |tree: Option<&TokenTree>| matches!(tree, Some(TokenTree::Group(group)) if group.delimiter() == Delimiter::Parenthesis);
        let word = |words: &[&str]| is_word(trees.get(index), words);
        index += if is(index, '#') && matches!(trees.get(index + 1), Some(TokenTree::Group(_))) {
            2
        } else if word(&["pub"]) {
            1 + usize::from(is_parenthesis(trees.get(index + 1)))
        } else if kind(index).is_some_and(|kind| kind == "vis") {
            2
        } else if word(&["async", "unsafe", "const"]) && is_word(trees.get(index + 1), &["fn"]) {
            1
        } else {
            break;
        };
    }
    let word = |words: &[&str]| is_word(trees.get(index), words);
    let has_name = word(&["fn", "struct", "enum", "trait", "type", "mod"])
        || word(&["const", "static"]) && matches!(trees.get(index + 1), Some(TokenTree::Ident(_)))
        || word(&["const", "static"]) && is(index + 1, '$');
    if !has_name && !word(&["impl", "use"]) {
        made.others = true;
        return trees.len();
    }
    made.items = true;
    made.named_by_call |= has_name && is(index + 1, '$');
    let ends_in_braces = !word(&["const", "static", "type", "use"]);
    let is_end = |tree: &TokenTree| match tree {
        TokenTree::Group(group) => ends_in_braces && group.delimiter() == Delimiter::Brace,
        tree => is_punct(Some(tree), ';'),
    };
    trees[index..].iter().position(is_end).map_or(trees.len(), |end| index + end + 1)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn items_are_told_from_other_statements() {
        let kinds = [("item", "item"), ("vis", "vis"), ("name", "ident")];
        let kinds = kinds.map(|(name, kind)| (name.to_owned(), kind.to_owned())).into();
        let items = Made { items: true, ..Made::default() };
        let named = Made { named_by_call: true, ..items };
        let others = Made { others: true, ..Made::default() };
        for (transcriber, expected) in [
            ("fn f(x: u8) -> [u8; 2] { x }", items),
            ("#[derive(Clone)] pub(crate) struct $name(u8); type $name = u8;", named),
            ("$vis async fn $name() {} impl X for Y { fn z() {} }", named),
            ("$($item)*", named),
            ("$(const $name: T = T { a: 1 };)+", named),
            ("use a::{b, c}; b($name)", Made { others: true, ..items }),
            ("fn $name() {} $name()", Made { others: true, ..named }),
            ("let $name = 1;", others),
            ("const { 1 }", others),
            ("unsafe { f() }", others),
            ("{ fn $name() {} }", others),
            ("", Made::default()),
        ] {
            let mut made = Made::default();
            read(transcriber.parse().expect("tokens"), &kinds, &mut made);
            assert_eq!(made, expected, "{transcriber}");
        }
    }
}
