//! What is looked up again after an await with a key, or a closure, of which something has changed since. rustc
//! lets it change, because only what the key is looked up in is borrowed; so it would be another value.

use std::collections::BTreeSet;

use syn::visit::{self, Visit};
use syn::{ExprIndex, ExprMethodCall};

use crate::check::Rule;
use crate::diagnostics::Diagnostics;
use crate::holes;
use crate::ir::{BlockId, Graph, LocalId, Locals};
use crate::layout::{Layout, Link};
use crate::liveness::Liveness;
use crate::usage::{Usage, made_of};

/// Reports them, each once.
pub(crate) fn report(
    graph: &Graph,
    liveness: &Liveness,
    layout: &Layout,
    diagnostics: &Diagnostics,
) {
    let made_again = |local: &LocalId| graph.locals[*local].remade.is_some();
    for local in graph.locals.ids().filter(made_again) {
        let keys = keys(&graph.locals, local);
        let Some(key) = keys.into_iter().find(|key| {
            graph
                .block_ids()
                .any(|id| changes_while_held(graph, liveness, layout, id, (local, *key)))
        }) else {
            continue;
        };
        let (found, key) = (&graph.locals[local], graph.locals[key].name());
        let what = match found.is_temporary {
            true => "what is looked up here".to_owned(),
            false => format!("`{}`", found.name()),
        };
        diagnostics.error(
            found.ident.span(),
            Rule::SAVED_LOCALS,
            format!("{what} is looked up again after an await, and `{key}` may change before it is used up"),
            &format!(
                "look it up with a copy that does not change: `let unchanged = {key}.clone();`, or use it up \
                 before `{key}` changes"
            ),
        );
    }
}

/// What a local that is made again is looked up with, if it can change.
fn keys(locals: &Locals, local: LocalId) -> BTreeSet<LocalId> {
    struct Keys<'a> {
        locals: &'a Locals,
        found: BTreeSet<LocalId>,
    }
    impl Keys<'_> {
        fn add(&mut self, key: &syn::Expr) {
            self.found.extend(Usage::of_expr(self.locals, key).mentions);
        }
    }
    impl Visit<'_> for Keys<'_> {
        fn visit_expr_method_call(&mut self, call: &ExprMethodCall) {
            call.args.iter().for_each(|key| self.add(key));
            visit::visit_expr_method_call(self, call);
        }

        fn visit_expr_index(&mut self, expr: &ExprIndex) {
            self.add(&expr.index);
            visit::visit_expr_index(self, expr);
        }
    }
    let mut keys = Keys { locals, found: BTreeSet::new() };
    for made in made_of(locals, local) {
        if let Some(expr) = &locals[made].remade {
            keys.visit_expr(expr);
        }
    }
    let all = keys.found.iter().flat_map(|key| made_of(locals, *key));
    all.filter(|key| locals[*key].mutable && !locals[*key].is_temporary).collect()
}

/// Whether the block changes the key of something that has been made again by then, or is in an arm that follows.
fn changes_while_held(
    graph: &Graph,
    liveness: &Liveness,
    layout: &Layout,
    id: BlockId,
    (local, key): (LocalId, LocalId),
) -> bool {
    if !graph[id].all_usages().any(|usage| usage.changes.contains(&key)) {
        return false;
    }
    let needed = liveness.needed_after(graph, id);
    let mut usages = graph[id].all_usages().zip(&needed);
    let root = layout.root(layout.root_of[id.0]);
    usages.any(|(usage, needed)| usage.changes.contains(&key) && needed.contains(&local))
        && (root.is_some_and(|root| root.remade.contains(&local))
            || leads_to_an_arm(graph, liveness, layout, id, local))
}

/// Whether an arm that begins behind the block is given the local.
fn leads_to_an_arm(
    graph: &Graph,
    liveness: &Liveness,
    layout: &Layout,
    id: BlockId,
    local: LocalId,
) -> bool {
    let (mut seen, mut todo) = (BTreeSet::new(), vec![id]);
    while let Some(id) = todo.pop() {
        for to in holes::successors(graph, id) {
            let is_held = liveness.live_in(to).iter().any(|place| place.local == local);
            if is_held && layout.links[to.0] == Link::Root {
                return true;
            }
            if is_held && seen.insert(to) {
                todo.push(to);
            }
        }
    }
    false
}
