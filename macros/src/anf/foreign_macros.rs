//! Macros that are defined elsewhere and may declare a variable whose name is one of their arguments.
//!
//! Such a variable would exist only in the block that contains the macro, and later blocks would use the outer
//! variable of that name. So rustc checks whether the name means the same before and after the macro, in code that
//! never runs: a borrow of a variable that the macro declares does not outlive the block around it.
//!
//! ```text
//! declare!(x);  →  if false { let outside; { declare!(x); outside = &x; } let _ = outside; loop {} }
//!                  declare!(x);
//! ```

use proc_macro2::TokenTree;
use syn::spanned::Spanned;
use syn::{Expr, Ident, Macro};

use crate::lower::Lower;
use crate::syntax::hygiene::hidden_at;
use crate::syntax::macros;
use crate::syntax::source::file_of;

/// Macros of the standard library that declare nothing. Macros with known arguments are not in the list.
const HARMLESS: [&str; 9] = [
    "assert_matches",
    "compile_error",
    "dbg",
    "debug_assert_matches",
    "eprint",
    "eprintln",
    "print",
    "println",
    "thread_local",
];

impl Lower<'_> {
    /// Lets rustc refuse a statement macro that shadows a local which later statements name.
    pub(crate) fn check_declared(&mut self, stmt: &Expr) {
        let Expr::Macro(syn::ExprMacro { mac, .. }) = stmt else { return };
        // The check is in a block of its own, where a jump would have another target.
        if is_seen(mac) || macros::has_jump(mac.tokens.clone()) {
            return;
        }
        let mut named: Vec<Ident> = Vec::new();
        macros::scan_leaves(&mac.tokens, &mut |leaf| {
            let TokenTree::Ident(ident) = leaf else { return };
            let is_needed = self
                .locals
                .find(ident)
                .is_some_and(|local| self.continuation.reads(&self.locals, local));
            if is_needed && !named.contains(ident) {
                named.push(ident.clone());
            }
        });
        if named.is_empty() {
            return;
        }
        let span = mac.path.span();
        let outside = hidden_at("outside", span);
        self.code(syn::parse_quote_spanned! {span=>
            #[allow(warnings)]
            if false {
                let #outside;
                {
                    #mac;
                    #outside = (#(&#named,)*);
                }
                let _ = #outside;
                loop {}
            }
        });
    }
}

/// Whether the definition of the macro is known and `check` has searched it.
fn is_seen(mac: &Macro) -> bool {
    let name = macros::name(mac);
    let of_file =
        || file_of(mac.path.span()).is_some_and(|file| file.definitions(&name).next().is_some());
    macros::is_known(mac)
        || macros::is_literal(mac)
        || HARMLESS.contains(&name.as_str())
        || of_file()
}
