//! Calls of macros whose definitions do more than give a value.

use quote::{ToTokens, quote};
use syn::{Block, Macro, Stmt};

use super::{Checker, Rule};
use crate::suspend;

impl Checker<'_> {
    /// Refuses a macro whose definition awaits or jumps. Tells whether it has.
    pub(super) fn check_definition(&mut self, mac: &Macro) -> bool {
        if !self.is_machine() {
            return false;
        }
        let (path, bang, name) = (&mac.path, &mac.bang_token, crate::macros::name(mac));
        let effects = self.definitions.effects(mac);
        if effects.awaits && suspend::awaiting(mac).is_none() {
            self.report(
                Rule::AWAIT_IN_MACRO,
                &quote!(#path #bang),
                format!("await in the definition of `{name}!`"),
                "let the macro give the call, and await it outside: `make!(…).await`; or write an \
                 `async fn`",
            );
            return true;
        }
        if effects.returns || effects.jumps && !self.in_own_loop {
            let (words, help) = if effects.returns {
                ("`return` or `?`", "let the macro give the value, and jump outside: `make!(…)?`")
            } else {
                (
                    "`break` or `continue`",
                    "let the macro give the condition, and jump outside: `if done!(…) { break; }`",
                )
            };
            self.report(
                Rule::JUMP_IN_MACRO,
                &quote!(#path #bang),
                format!("jump by {words} in the definition of `{name}!`"),
                help,
            );
            return true;
        }
        false
    }

    /// Refuses the statement at `index` if it is a macro that declares variables for the rest of the block.
    pub(super) fn check_declarations(&mut self, block: &Block, index: usize) {
        let rest = &block.stmts[index + 1..];
        let Stmt::Macro(syn::StmtMacro { mac, .. }) = &block.stmts[index] else { return };
        if !self.is_machine() || rest.is_empty() {
            return;
        }
        let (path, bang, name) = (&mac.path, &mac.bang_token, crate::macros::name(mac));
        let effects = self.definitions.effects(mac);
        if effects.awaits || effects.returns {
            // That is reported.
            return;
        }
        // A block that stays as it is has variables of its own.
        let is_taken_apart =
            suspend::block(block) || crate::macros::has_jump(block.to_token_stream());
        if effects.declares && is_taken_apart {
            self.report(
                Rule::LOCAL_IN_MACRO,
                &quote!(#path #bang),
                format!("have `{name}!` declare a variable for the statements after it"),
                "declare it outside, and let the macro give the value: `let value = make!(…);`",
            );
        } else if effects.holds && rest.iter().any(suspend::stmt) {
            self.report(
                Rule::LOCAL_IN_MACRO,
                &quote!(#path #bang),
                format!("have `{name}!` hold a value until the end of the block, across an await"),
                "put a block into the definition, `=> {{ let …; … }}`, or declare the variable \
                 outside",
            );
        }
    }
}
