//! Items of the body. They move to the start of the step function, where all arms see them.

use std::cell::OnceCell;
use std::collections::HashMap;

use proc_macro2::{TokenStream, TokenTree};
use quote::ToTokens;
use syn::spanned::Spanned;
use syn::{Block, Ident, Item, ItemMacro, UseTree};

use crate::diagnostics::rules::Rule;
use crate::lower::Lower;

/// The number of occurrences of each identifier.
pub(crate) type Counts = HashMap<String, usize>;

/// The body as the user wrote it, for checks that need all of it.
pub(crate) struct Source<'a> {
    body: &'a Block,
    identifiers: OnceCell<Counts>,
}

impl<'a> Source<'a> {
    pub(crate) fn new(body: &'a Block) -> Self {
        Self { body, identifiers: OnceCell::new() }
    }

    /// The number of occurrences of each identifier in the body, counted on first use.
    fn identifiers(&self) -> &Counts {
        self.identifiers.get_or_init(|| {
            let mut identifiers = Counts::new();
            count(self.body.to_token_stream(), &mut identifiers);
            identifiers
        })
    }
}

/// Counts the identifiers in `tokens`.
pub(crate) fn count(tokens: TokenStream, counts: &mut Counts) {
    for tree in tokens {
        match tree {
            TokenTree::Ident(ident) => *counts.entry(ident.to_string()).or_default() += 1,
            TokenTree::Group(group) => count(group.stream(), counts),
            TokenTree::Punct(_) | TokenTree::Literal(_) => {}
        }
    }
}

impl Lower<'_> {
    /// Collects the items of a block. The name of an item in an inner block must mean nothing else outside the block.
    pub(crate) fn items_of(&mut self, block: &Block) {
        let items: Vec<&Item> = block
            .stmts
            .iter()
            .filter_map(|stmt| match stmt {
                syn::Stmt::Item(item) => Some(item),
                _ => None,
            })
            .collect();
        self.check_macros(block);
        if self.depth > 0 && !items.is_empty() {
            let mut inside = Counts::new();
            count(block.to_token_stream(), &mut inside);
            for item in &items {
                self.check_inner_item(item, &inside);
            }
        }
        for item in items {
            // Two blocks may have the same `use`.
            let is_known = matches!(item, Item::Use(_)) && self.items.contains(item);
            if !is_known {
                self.items.push(item.clone());
            }
        }
    }

    /// Reports a `macro_rules!` that is defined after a call of another macro of the same name: at the start of the
    /// step function, the definition would shadow that macro.
    fn check_macros(&self, block: &Block) {
        for (index, stmt) in block.stmts.iter().enumerate() {
            let syn::Stmt::Item(Item::Macro(ItemMacro { ident: Some(name), .. })) = stmt else {
                continue;
            };
            let is_meant = |before: &syn::Stmt| match before {
                syn::Stmt::Item(Item::Macro(other)) => other.ident.as_ref() == Some(name),
                before => calls(before.to_token_stream(), name),
            };
            if block.stmts[..index].iter().any(is_meant) {
                self.diagnostics.error(
                    name.span(),
                    Rule::INNER_ITEM,
                    format!(
                        "another `{name}!` is called before this definition, which would hide it"
                    ),
                    "give it another name",
                );
            }
        }
    }

    fn check_inner_item(&self, item: &Item, inside: &Counts) {
        let help = "move it to the beginning of the workflow's body";
        let mut names = Vec::new();
        match item {
            Item::Use(item) if use_names(&item.tree, &mut names) => {}
            Item::Use(item) => self.diagnostics.error(
                item.span(),
                Rule::INNER_ITEM,
                "a glob import cannot stand in a block with an `.await`, because it would apply outside the block",
                help,
            ),
            Item::Const(item) => names.push(item.ident.to_string()),
            Item::Static(item) => names.push(item.ident.to_string()),
            Item::Fn(item) => names.push(item.sig.ident.to_string()),
            Item::Struct(item) => names.push(item.ident.to_string()),
            Item::Enum(item) => names.push(item.ident.to_string()),
            Item::Union(item) => names.push(item.ident.to_string()),
            Item::Type(item) => names.push(item.ident.to_string()),
            Item::Trait(item) => names.push(item.ident.to_string()),
            Item::Mod(item) => names.push(item.ident.to_string()),
            Item::Macro(item) => names.extend(item.ident.as_ref().map(ToString::to_string)),
            _ => {}
        }
        // An item called `_` has no name.
        for name in names.into_iter().filter(|name| name != "_") {
            if self.source.identifiers().get(&name) != inside.get(&name) {
                self.diagnostics.error(
                    item.span(),
                    Rule::INNER_ITEM,
                    format!("`{name}` also names an item outside this block, and the block has an `.await`"),
                    help,
                );
            }
        }
    }
}

/// Whether a macro of this name is called in the tokens.
fn calls(tokens: TokenStream, name: &Ident) -> bool {
    let mut is_name = false;
    tokens.into_iter().any(|tree| {
        let was_name = std::mem::replace(
            &mut is_name,
            matches!(&tree, TokenTree::Ident(ident) if ident == name),
        );
        match tree {
            TokenTree::Group(group) => calls(group.stream(), name),
            TokenTree::Punct(punct) => was_name && punct.as_char() == '!',
            _ => false,
        }
    })
}

/// Adds the names that a `use` imports. Returns `false` for a glob import.
fn use_names(tree: &UseTree, names: &mut Vec<String>) -> bool {
    match tree {
        UseTree::Path(path) => use_names(&path.tree, names),
        UseTree::Name(name) => {
            names.push(name.ident.to_string());
            true
        }
        UseTree::Rename(rename) => {
            names.push(rename.rename.to_string());
            true
        }
        UseTree::Group(group) => group.items.iter().all(|tree| use_names(tree, names)),
        _ => false,
    }
}
