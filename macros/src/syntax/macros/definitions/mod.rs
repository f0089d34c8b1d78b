//! Effects of the user's macros on the code around their calls, as far as the definitions show them.
//!
//! The definitions in the body and in its file are known. The machine cannot follow declarations that such a macro
//! leaves behind, because rustc expands it after the function has been split into blocks.

mod reader;

use std::rc::Rc;

use proc_macro2::{Span, TokenStream, TokenTree};
use syn::{Ident, ItemMacro, Macro, Path};

use super::definitions::reader::Reader;
use crate::syntax::macros::definition::{Arm, arms, arms_for, is_punct};
use crate::syntax::names::is_any_of;
use crate::syntax::source::{SourceFile, file_of};
use crate::syntax::suspend;

/// The effects of a call on the code around it.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(crate) struct Effects {
    /// It awaits.
    pub(crate) awaits: bool,
    /// It has a `return` or `?` that leaves the function.
    pub(crate) returns: bool,
    /// It has a `break` or `continue` that leaves or continues a loop around it.
    pub(crate) jumps: bool,
    /// As a statement, it declares a variable whose name is an argument.
    pub(crate) declares: bool,
    /// As a statement, it declares a variable of its own that lives until the end of the block.
    pub(crate) holds: bool,
    /// As a statement, it expands to statements from its arguments.
    passes_on: bool,
}

/// The visible definitions.
#[derive(Debug)]
pub(crate) struct Definitions {
    file: Option<Rc<SourceFile>>,
    /// The span of the function.
    at: Span,
    /// The definitions in the body before the current position.
    of_body: Vec<(Ident, TokenStream)>,
}

impl Definitions {
    pub(crate) fn around(span: Span) -> Self {
        Self { file: file_of(span), at: span, of_body: Vec::new() }
    }

    /// The number of definitions in the body so far.
    pub(crate) fn count(&self) -> usize {
        self.of_body.len()
    }

    /// Removes the definitions after the first `count`.
    pub(crate) fn forget(&mut self, count: usize) {
        self.of_body.truncate(count);
    }

    /// Adds a definition in the body.
    pub(crate) fn add(&mut self, item: &ItemMacro) {
        if let Some(name) = &item.ident {
            self.of_body.push((name.clone(), item.mac.tokens.clone()));
        }
    }

    /// The effects of a call.
    pub(crate) fn effects(&self, mac: &Macro) -> Effects {
        let mut effects = match called(&mac.path) {
            Some(name) => self.effects_of(&name, &mac.tokens, 0),
            None => Effects { passes_on: true, ..Effects::default() },
        };
        effects.declares |= effects.passes_on && has_let(&mac.tokens);
        effects
    }

    /// The effects of a call of `name` with `tokens`, searched `depth` definitions deep.
    fn effects_of(&self, name: &str, tokens: &TokenStream, depth: usize) -> Effects {
        let mut effects = Effects::default();
        let definitions = self.find(name);
        if definitions.is_empty() {
            effects.awaits = suspend::tokens(format!("{name}!").parse().unwrap_or_default());
            effects.passes_on = !effects.awaits;
        }
        // The search of a recursive macro must end.
        if depth > 8 {
            return effects;
        }
        for arm in definitions.into_iter().flat_map(|definition| arms_for(definition, tokens)) {
            let reader = Reader { definitions: self, kinds: arm.kinds(), depth };
            reader.read(&arm, &mut effects);
        }
        effects
    }

    /// The rules that may match a call.
    pub(crate) fn arms_called(&self, mac: &Macro) -> Vec<Arm> {
        let definitions = called(&mac.path).map(|name| self.find(&name)).unwrap_or_default();
        definitions.into_iter().flat_map(|definition| arms_for(definition, &mac.tokens)).collect()
    }

    /// The rules of the file's macro at this path, unless the body has a macro of that name. With `call`, only those
    /// that may match it.
    pub(crate) fn arms_of_file(&self, path: &[Ident], call: Option<&TokenStream>) -> Vec<Arm> {
        let Some(name) = path.last().filter(|_| is_near(path.first(), path.len())) else {
            return Vec::new();
        };
        if self.of_body.iter().any(|(known, _)| known == name) {
            return Vec::new();
        }
        let definitions = self.find(&name.to_string()).into_iter();
        let alternatives = definitions.flat_map(|definition| match call {
            Some(call) => arms_for(definition, call),
            None => arms(definition),
        });
        alternatives.collect()
    }

    /// Whether this name calls a macro of the body or of the file.
    pub(crate) fn has(&self, name: &Ident) -> bool {
        self.of_body.iter().any(|(known, _)| known == name)
            || self.file.as_ref().is_some_and(|file| file.defines(&name.to_string(), self.at))
    }

    /// The definitions of that name: the last one of the body, or all of the file.
    fn find(&self, name: &str) -> Vec<TokenStream> {
        let of_body = self.of_body.iter().rev().find(|(known, _)| known == name);
        if let Some((_, tokens)) = of_body {
            return vec![tokens.clone()];
        }
        let of_file = self.file.iter().flat_map(|file| file.definitions(name));
        of_file.filter_map(|text| text.parse().ok()).collect()
    }
}

/// The name of a call that may refer to a macro of the file.
fn called(path: &Path) -> Option<String> {
    let first = path.segments.first().map(|first| &first.ident);
    let last = path.segments.last().filter(|_| is_near(first, path.segments.len()));
    last.map(|last| last.ident.to_string())
}

fn is_near(first: Option<&Ident>, segments: usize) -> bool {
    let leads_here = |first: &Ident| is_any_of(first, &["crate", "self", "super"]);
    segments == 1 || first.is_some_and(leads_here)
}

/// Whether the tokens contain a `let` statement.
fn has_let(tokens: &TokenStream) -> bool {
    let trees: Vec<TokenTree> = tokens.clone().into_iter().collect();
    (0..trees.len()).any(|index| is_let(&trees, index))
}

fn is_let(trees: &[TokenTree], index: usize) -> bool {
    let before = index.checked_sub(1).and_then(|before| trees.get(before));
    is_word(trees.get(index), &["let"])
        && !is_word(before, &["if", "while"])
        && !is_punct(before, '&')
}

pub(crate) fn is_word(tree: Option<&TokenTree>, words: &[&str]) -> bool {
    matches!(tree, Some(TokenTree::Ident(ident)) if is_any_of(ident, words))
}

/// The number of tokens after a repetition's group: a separator and its operator.
pub(crate) fn repetition(after: &[TokenTree]) -> usize {
    let is_count = |tree: Option<&TokenTree>| ['*', '+', '?'].iter().any(|c| is_punct(tree, *c));
    match after {
        [first, ..] if is_count(Some(first)) => 1,
        [_, second, ..] if is_count(Some(second)) => 2,
        _ => 0,
    }
}

#[cfg(test)]
mod tests {
    use syn::parse_quote;

    use super::*;

    fn none() -> Definitions {
        Definitions { file: None, at: Span::call_site(), of_body: Vec::new() }
    }

    /// The effects of the call `m!(a, b)` of a macro with two parameters and this transcriber.
    fn effects(transcriber: &str) -> Effects {
        let item = format!(
            "macro_rules! m {{ ($a:ident, $b:expr) => {{ {transcriber} }}; (no) => {{ x.await }} }}"
        );
        let other = "macro_rules! other { ($($t:tt)*) => { $($t)* } }";
        let mut definitions = none();
        for item in [other, &item] {
            definitions.add(&syn::parse_str(item).expect("an item"));
        }
        definitions.effects(&parse_quote!(m!(a, b)))
    }

    #[test]
    fn what_leaves_the_definition_is_found() {
        let none = Effects::default();
        let declares = Effects { declares: true, ..none };
        let holds = Effects { holds: true, ..none };
        let awaits = Effects { awaits: true, ..none };
        let returns = Effects { returns: true, ..none };
        let jumps = Effects { jumps: true, ..none };
        for (transcriber, expected) in [
            ("let $a = $b;", declares),
            ("$(let mut $a: T = $b;)*", declares),
            ("let (x, $a) = $b;", declares),
            ("let x: $a = $b;", holds),
            ("{ let $a = $b; }", none),
            ("if let $a = $b { x }", none),
            ("while let $a = $b && let y = z { x }", none),
            ("f($b).await", awaits),
            ("{ vec![f($b).await] }", awaits),
            ("join!($a, $b)", awaits),
            ("async move { f($b).await }", none),
            ("async fn f() { $b.await }", none),
            ("f($b)?", returns),
            ("$b?", returns),
            ("if $b { return; }", returns),
            ("$($b)?", none),
            ("$(f::<dyn T + ?Sized>($b)),*", none),
            ("$a.map(|x| f(x)?)", none),
            ("f(|| return 1, $b?)", returns),
            ("if $a || $b { break }", jumps),
            ("continue", jumps),
            ("loop { if $b { break; } }", none),
            ("loop { if $b { break; } } break;", jumps),
            ("'a: { break 'a; }", none),
            ("fn f() { return; }", none),
            ("m!(other, no)", none),
            ("m!(no)", awaits),
        ] {
            assert_eq!(effects(transcriber), expected, "{transcriber}");
        }
        assert!(effects("other! { let x = 1; }").declares);
        assert!(effects("other!($b)").passes_on);
    }

    #[test]
    fn a_statement_may_be_given_to_a_macro() {
        let definitions = none();
        assert!(definitions.effects(&parse_quote!(unknown! { let x = 1; })).declares);
        assert!(!definitions.effects(&parse_quote!(unknown!(if let x = 1 {}))).declares);
    }
}
