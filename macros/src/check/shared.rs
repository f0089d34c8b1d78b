//! State outside the run: statics with interior mutability, and thread locals.

use quote::{ToTokens, quote};
use syn::visit::{self, Visit};
use syn::{Expr, ExprMethodCall, ItemStatic, Path, PathSegment, StaticMutability, Type};

use super::checker::Checker;
use super::paths::Refused;
use crate::diagnostics::rules::Rule;
use crate::syntax::names::is_any_of;
use crate::syntax::source::statics::{SharedBy, is_interior_mutable};

/// Methods that are only useful on a static whose value changes or is initialized at run time. `get` is not in the
/// list, because arrays have it.
const METHODS: [&str; 24] = [
    "borrow_mut",
    "compare_exchange",
    "compare_exchange_weak",
    "fetch_add",
    "fetch_and",
    "fetch_max",
    "fetch_min",
    "fetch_or",
    "fetch_sub",
    "fetch_update",
    "fetch_xor",
    "get_or_init",
    "get_or_try_init",
    "load",
    "lock",
    "read",
    "store",
    "swap",
    "try_lock",
    "try_read",
    "with",
    "with_borrow",
    "with_borrow_mut",
    "write",
];

const HELP: &str = "keep the value in a local of the workflow, or pass it as an argument";

/// The refusal of a static, by the way it is shared.
pub(super) fn refused(shared_by: SharedBy) -> Refused {
    let (rule, what) = match shared_by {
        SharedBy::Process => (Rule::SHARED_STATE, PROCESS),
        SharedBy::ProcessMut => (Rule::STATIC_MUT, PROCESS),
        SharedBy::Thread => (Rule::THREAD_LOCAL, "belongs to a thread and not to a run"),
    };
    Refused { rule, what, help: HELP }
}

const PROCESS: &str = "all runs of a process share";

impl Checker<'_> {
    /// Refuses a static that the file declares. Returns whether it was refused.
    pub(super) fn check_shared(&mut self, path: &Path) -> bool {
        let Some(shared_by) = self.names.shared_by(path) else { return false };
        let name = path.to_token_stream().to_string().replace(' ', "");
        let refused = refused(shared_by);
        self.report(refused.rule, path, format!("use `{name}`, which {}", refused.what), HELP);
        true
    }

    /// Refuses a static of another file, recognized by its capitals and the called method.
    pub(super) fn check_shared_receiver(&mut self, call: &ExprMethodCall) {
        let Expr::Path(receiver) = &*call.receiver else { return };
        let is_known =
            self.names.shared_by(&receiver.path).is_some() || self.names.is_of_body(&receiver.path);
        if !is_known && is_in_capitals(&receiver.path) && is_any_of(&call.method, &METHODS) {
            let name = receiver.path.to_token_stream().to_string().replace(' ', "");
            let message = format!("use `{name}`, which all runs of a process share");
            self.report(Rule::SHARED_STATE, receiver, message, HELP);
        }
    }

    /// Refuses statics of the body.
    pub(super) fn check_static(&mut self, item: &ItemStatic) {
        if let StaticMutability::Mut(token) = &item.mutability {
            self.report(
                Rule::STATIC_MUT,
                &quote!(#token),
                format!("declare `static mut {}`, which all runs of a process share", item.ident),
                "use a local of the workflow",
            );
        } else if has_interior_mutable(&item.ty) {
            self.report(
                Rule::SHARED_STATE,
                &item.ty,
                format!("declare `{}`, which all runs of a process share", item.ident),
                HELP,
            );
        }
    }
}

/// Whether the path may name a static, by its capitals.
fn is_in_capitals(path: &Path) -> bool {
    let Some(last) = path.segments.last() else { return false };
    let name = last.ident.to_string();
    !name.chars().any(char::is_lowercase)
}

fn has_interior_mutable(ty: &Type) -> bool {
    struct Search(bool);
    impl<'ast> Visit<'ast> for Search {
        fn visit_path_segment(&mut self, segment: &'ast PathSegment) {
            self.0 |= is_interior_mutable(&segment.ident.to_string());
            visit::visit_path_segment(self, segment);
        }
    }
    let mut search = Search(false);
    search.visit_type(ty);
    search.0
}
