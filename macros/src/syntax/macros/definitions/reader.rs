//! The effects of one rule of a macro definition.

use std::collections::HashMap;

use proc_macro2::{Delimiter, TokenStream, TokenTree};

use super::{Definitions, Effects, has_let, is_let, is_word, repetition};
use crate::syntax::macros::definition::{Arm, is_punct};

/// The position in the definition.
#[derive(Clone, Copy, Debug)]
struct At {
    /// Outside all brackets.
    is_top: bool,
    /// In a loop of the definition.
    in_loop: bool,
    /// In a closure of the definition. Jumps in it do not leave the closure.
    in_closure: bool,
}

/// Reads one rule of a definition.
pub(crate) struct Reader<'a> {
    pub(crate) definitions: &'a Definitions,
    pub(crate) kinds: HashMap<String, String>,
    pub(crate) depth: usize,
}

impl Reader<'_> {
    pub(crate) fn read(&self, arm: &Arm, effects: &mut Effects) {
        let at = At { is_top: true, in_loop: false, in_closure: false };
        self.read_tokens(arm.transcriber.clone(), at, effects);
    }

    fn read_tokens(&self, tokens: TokenStream, mut at: At, effects: &mut Effects) {
        let trees: Vec<TokenTree> = tokens.into_iter().collect();
        let (was_in_loop, was_in_closure) = (at.in_loop, at.in_closure);
        // Whether the next block is the body of a function or of an `async` block.
        let mut is_apart = false;
        let mut pipes = Pipes::None;
        let mut index = 0;
        while let Some(tree) = trees.get(index) {
            let before = index.checked_sub(1).and_then(|before| trees.get(before));
            let next = trees.get(index + 1);
            match tree {
                TokenTree::Group(group) if group.delimiter() == Delimiter::Brace => {
                    if !is_apart {
                        self.read_tokens(group.stream(), At { is_top: false, ..at }, effects);
                    }
                    (is_apart, at.in_loop) = (false, was_in_loop);
                }
                TokenTree::Group(group) => {
                    let is_repeated = is_punct(before, '$');
                    let is_top = at.is_top && is_repeated;
                    self.read_tokens(group.stream(), At { is_top, ..at }, effects);
                    if is_repeated {
                        index += repetition(&trees[index + 1..]);
                    }
                }
                TokenTree::Punct(punct) => match punct.as_char() {
                    '?' => effects.returns |= !at.in_closure && is_value(before),
                    '|' => {
                        pipes = pipes.next(before);
                        at.in_closure |= pipes == Pipes::Closed;
                    }
                    ',' | ';' if pipes != Pipes::Open => {
                        (pipes, at.in_closure) = (Pipes::None, was_in_closure);
                        is_apart &= punct.as_char() == ',';
                    }
                    _ => {}
                },
                TokenTree::Ident(_) if is_punct(before, '$') => {
                    let kind = self.kinds.get(&tree.to_string()).map_or("", String::as_str);
                    effects.passes_on |= at.is_top && ["stmt", "tt"].contains(&kind);
                }
                TokenTree::Ident(ident) => match ident.to_string().as_str() {
                    "await" => effects.awaits |= is_punct(before, '.'),
                    "return" => effects.returns |= !at.in_closure,
                    "break" | "continue" => {
                        // A label belongs to the definition.
                        effects.jumps |= !at.in_loop && !at.in_closure && !is_punct(next, '\'');
                    }
                    "loop" | "while" | "for" => at.in_loop = true,
                    "fn" => is_apart |= !matches!(next, Some(TokenTree::Group(_))),
                    "async" => is_apart = true,
                    "let" if at.is_top && is_let(&trees, index) => {
                        if pattern_at(&trees, index + 1).iter().any(names_input) {
                            effects.declares = true;
                        } else {
                            effects.holds = true;
                        }
                    }
                    "macro_rules" if is_punct(next, '!') => index += 2,
                    name => {
                        if let (true, Some(TokenTree::Group(input))) =
                            (is_punct(next, '!'), trees.get(index + 2))
                        {
                            self.read_call(name, &input.stream(), at, effects);
                        }
                    }
                },
                TokenTree::Literal(_) => {}
            }
            index += 1;
        }
    }

    /// Adds the effects of a call within the definition.
    fn read_call(&self, name: &str, input: &TokenStream, at: At, effects: &mut Effects) {
        let inner = self.definitions.effects_of(name, input, self.depth + 1);
        effects.awaits |= inner.awaits;
        effects.returns |= inner.returns && !at.in_closure;
        effects.jumps |= inner.jumps && !at.in_closure && !at.in_loop;
        if at.is_top {
            effects.declares |= inner.declares || inner.passes_on && has_let(input);
            effects.holds |= inner.holds;
            effects.passes_on |=
                inner.passes_on && input.clone().into_iter().any(|tree| names_input(&tree));
        }
    }
}

/// Whether the tree contains a metavariable.
fn names_input(tree: &TokenTree) -> bool {
    match tree {
        TokenTree::Group(group) => group.stream().into_iter().any(|tree| names_input(&tree)),
        tree => is_punct(Some(tree), '$'),
    }
}

/// Whether the token before `?` may end a value.
fn is_value(before: Option<&TokenTree>) -> bool {
    !matches!(before, None | Some(TokenTree::Punct(_)))
}

/// The state of the bars around a closure's parameters.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Pipes {
    None,
    Open,
    Closed,
}

impl Pipes {
    fn next(self, before: Option<&TokenTree>) -> Self {
        // A bar that follows no value starts a closure.
        let begins = match before {
            None => true,
            Some(TokenTree::Punct(punct)) => matches!(punct.as_char(), ',' | '=' | '>' | ';'),
            before => is_word(before, &["move", "return"]),
        };
        match self {
            Self::Open => Self::Closed,
            Self::None if begins => Self::Open,
            other => other,
        }
    }
}

/// The pattern of a `let`, without its type.
fn pattern_at(trees: &[TokenTree], start: usize) -> &[TokenTree] {
    let is = |index: usize, c| is_punct(trees.get(index), c);
    let ends = |index: &usize| {
        let is_path = is(*index + 1, ':') || is(*index - 1, ':');
        is(*index, '=') || is(*index, ';') || is(*index, ':') && !is_path
    };
    let end = (start..trees.len()).find(ends).unwrap_or(trees.len());
    &trees[start..end]
}
