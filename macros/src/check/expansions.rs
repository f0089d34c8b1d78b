//! Macro calls: names in their tokens, and definitions that do more than return a value.

use proc_macro2::TokenStream;
use quote::{ToTokens, quote};
use syn::{Block, Ident, Macro, Stmt};

use super::checker::Checker;
use super::effects::UNSAFE;
use super::macros::{Names, is_known, scan};
use super::paths::Refused;
use super::shared::refused;
use super::{methods, paths};
use crate::diagnostics::rules::Rule;
use crate::syntax::suspend;

/// A refused name among the tokens of a macro.
struct Found {
    tokens: TokenStream,
    name: String,
    refused: Refused,
}

impl Checker<'_> {
    /// Checks the names in the tokens of a macro, and returns them.
    pub(super) fn check_names_in(&mut self, mac: &Macro) -> Names {
        let mut names = Names::default();
        scan(mac.tokens.clone(), &mut names);
        for Found { tokens, name, refused } in self.refused_among(&names) {
            let message = format!("use `{name}`, which {}", refused.what);
            self.report(refused.rule, &tokens, message, refused.help);
        }
        for path in &names.macros {
            self.check_definition_of(path, None, &quote!(#(#path)::* !));
        }
        names
    }

    /// Refuses the call of a user's macro that has the name of a known one. Returns whether the path is such a macro.
    pub(super) fn check_own_macro(&mut self, path: &[Ident]) -> bool {
        let [name] = path else { return false };
        let is_taken = self.is_seen() && is_known(name) && self.definitions.has(name);
        if is_taken {
            self.report(
                Rule::AWAIT_IN_MACRO,
                name,
                format!("call a macro of its own named `{name}!`, which piton would treat as the well-known macro of \
                         this name"),
                "rename the macro",
            );
        }
        is_taken
    }

    /// Refuses the call of a macro of the file whose definition contains a refused name. Definitions in the body are
    /// checked where they are.
    pub(super) fn check_names_behind(&mut self, mac: &Macro) {
        let path: Vec<Ident> = mac.path.segments.iter().map(|part| part.ident.clone()).collect();
        let (name, bang) = (&mac.path, &mac.bang_token);
        self.check_definition_of(&path, Some(&mac.tokens), &quote!(#name #bang));
    }

    /// As [`check_names_behind`](Self::check_names_behind), with the tokens of the call if they are known, and the
    /// tokens of the macro's name.
    fn check_definition_of(
        &mut self,
        path: &[Ident],
        call: Option<&TokenStream>,
        at: &TokenStream,
    ) {
        let mut found = Vec::new();
        self.find_behind(path, call, 0, &mut found);
        let mut named = Vec::new();
        for Found { name, refused, .. } in found {
            if !named.contains(&refused.rule) {
                named.push(refused.rule);
                let mac = path.last().map(ToString::to_string).unwrap_or_default();
                let message =
                    format!("use `{mac}!`, in whose definition `{name}` {}", refused.what);
                self.report(refused.rule, at, message, refused.help);
            }
        }
    }

    /// Searches a definition of the file, and `depth` levels of the definitions that it uses.
    fn find_behind(
        &self,
        path: &[Ident],
        call: Option<&TokenStream>,
        depth: usize,
        found: &mut Vec<Found>,
    ) {
        if depth > 8 {
            return;
        }
        for arm in self.definitions.arms_of_file(path, call) {
            let mut names = Names::default();
            scan(arm.transcriber, &mut names);
            found.extend(self.refused_among(&names));
            for path in &names.macros {
                self.find_behind(path, None, depth + 1, found);
            }
        }
    }

    /// The refused names among these.
    fn refused_among(&self, names: &Names) -> Vec<Found> {
        let of_path = |path: &Vec<Ident>, is_macro: bool| {
            let segments: Vec<String> = path.iter().map(ToString::to_string).collect();
            let bang = if is_macro { "!" } else { "" };
            let name = format!("{}{bang}", segments.join("::"));
            let refused = match self.names.shared_by_at(&segments) {
                Some(shared_by) if !is_macro => refused(shared_by),
                _ => {
                    let resolved = self.names.resolve_segments(segments, false)?;
                    let find = if is_macro { paths::find_macro } else { paths::find };
                    find(&resolved)?
                }
            };
            Some(Found { tokens: quote!(#(#path)::*), name, refused })
        };
        let of_word = |word: &Ident, refused: Refused| Found {
            tokens: word.to_token_stream(),
            name: word.to_string(),
            refused,
        };
        let found = names.paths.iter().filter_map(|path| of_path(path, false));
        let found = found.chain(names.macros.iter().filter_map(|path| of_path(path, true)));
        let methods = names.methods.iter();
        let methods = methods.filter_map(|name| Some(of_word(name, methods::of_anything(name)?)));
        let unsafes = names.unsafes.iter().map(|word| of_word(word, UNSAFE));
        found.chain(methods).chain(unsafes).collect()
    }

    /// Refuses a macro whose definition awaits or jumps. Returns whether it was refused.
    pub(super) fn check_definition(&mut self, mac: &Macro) -> bool {
        if !self.is_machine() {
            return false;
        }
        let (path, bang, name) = (&mac.path, &mac.bang_token, crate::syntax::macros::name(mac));
        let effects = self.definitions.effects(mac);
        if effects.awaits && suspend::awaiting(mac).is_none() {
            self.report(
                Rule::AWAIT_IN_MACRO,
                &quote!(#path #bang),
                format!("await in the definition of `{name}!`"),
                "let the macro expand to the call, and await it outside: `make!(…).await`; or write an `async fn`",
            );
            return true;
        }
        if effects.returns || effects.jumps && !self.in_own_loop {
            let (words, help) = if effects.returns {
                (
                    "`return` or `?`",
                    "let the macro expand to the value, and write the `return` or `?` outside: \
                                     `make!(…)?`",
                )
            } else {
                (
                    "`break` or `continue`",
                    "let the macro expand to the condition, and write the jump outside: `if done!(…) { break; }`",
                )
            };
            self.report(
                Rule::JUMP_IN_MACRO,
                &quote!(#path #bang),
                format!("use {words} in the definition of `{name}!`"),
                help,
            );
            return true;
        }
        false
    }

    /// Refuses the statement at `index` if it is a macro that declares variables for later statements.
    pub(super) fn check_declarations(&mut self, block: &Block, index: usize) {
        let rest = &block.stmts[index + 1..];
        let Stmt::Macro(syn::StmtMacro { mac, .. }) = &block.stmts[index] else { return };
        if !self.is_machine() || rest.is_empty() {
            return;
        }
        let (path, bang, name) = (&mac.path, &mac.bang_token, crate::syntax::macros::name(mac));
        let effects = self.definitions.effects(mac);
        if effects.awaits || effects.returns {
            // Another check reports it.
            return;
        }
        // A block that is not lowered keeps its variables.
        let is_taken_apart =
            suspend::block(block) || crate::syntax::macros::has_jump(block.to_token_stream());
        if effects.declares && is_taken_apart {
            self.report(
                Rule::LOCAL_IN_MACRO,
                &quote!(#path #bang),
                format!("have `{name}!` declare a variable for the statements after it"),
                "declare the variable in the workflow, and let the macro expand to its value: `let value = make!(…);`",
            );
        } else if effects.holds && rest.iter().any(suspend::stmt) {
            self.report(
                Rule::LOCAL_IN_MACRO,
                &quote!(#path #bang),
                format!("have `{name}!` hold a value until the end of the block, across an await"),
                "make the definition a block, `=> {{ let …; … }}`, or declare the variable in the workflow",
            );
        }
    }
}
