//! Locals with a moved part whose rest goes to another value.
//!
//! ```text
//! let lines = order.lines;
//! let total = price(&lines).await;
//! let order = Order { lines: vec![], ..order };
//! ```
//!
//! Until then, the rest is saved with a copy in place of the part (see [`crate::flow::move_paths`]), so the local
//! must be mutable. It is declared `mut` in a second run of [`anf`](crate::anf). Input: the graph.

use syn::visit_mut::{self, VisitMut};
use syn::{Block, Ident, Macro, PatIdent, PatType};

use crate::collections::sets::Set;
use crate::ir::usage::{Place, Usage};
use crate::ir::{Graph, Locals};
use crate::syntax::select::visit_code_mut;

/// Finds their names. Of those that are assigned to rustc says itself that they are not `mut`.
pub(crate) fn find(graph: &Graph) -> Set<Ident> {
    // A pattern may take the part. That the rest is taken is no such thing.
    let takes = |usage: &Usage, left: &Place| {
        !usage.fills.contains(left) && usage.moves.iter().any(|moved| moved.overlaps(left))
    };
    let is_moved = |left: &Place| graph.usages().any(|usage| takes(usage, left));
    let is_written = |left: &Place| {
        graph.usages().any(|usage| usage.writes.iter().any(|place| place.local == left.local))
    };
    let left = graph.touched.fills.iter();
    let is_rest =
        |left: &&Place| !graph.locals[left.local].mutable && is_moved(left) && !is_written(left);
    let names = left.filter(is_rest).map(|left| graph.locals[left.local].ident.clone());
    names.collect()
}

/// Declares them `mut`.
pub(crate) fn make_mutable(
    names: &Set<Ident>,
    locals: &mut Locals,
    params: &mut [PatType],
    body: &mut Block,
) {
    for name in names {
        if let Some(local) = locals.find(name) {
            locals[local].mutable = true;
        }
    }
    let mut declare = Declare { names };
    params.iter_mut().for_each(|param| declare.visit_pat_type_mut(param));
    declare.visit_block_mut(body);
}

struct Declare<'a> {
    names: &'a Set<Ident>,
}

impl VisitMut for Declare<'_> {
    fn visit_pat_ident_mut(&mut self, pat: &mut PatIdent) {
        if pat.by_ref.is_none() && self.names.contains(&pat.ident) {
            pat.mutability = Some(syn::Token![mut](pat.ident.span()));
        }
        visit_mut::visit_pat_ident_mut(self, pat);
    }

    fn visit_macro_mut(&mut self, mac: &mut Macro) {
        visit_code_mut(mac, self);
    }
}
