//! Lookups that cannot be repeated after an await because the key or the collection has changed. rustc allows the key
//! to change or move, since the lookup borrows only the collection.

mod across_blocks;
mod branches;
mod moved_keys;

use syn::visit::{self, Visit};
use syn::{Expr, ExprIndex, ExprMethodCall, Pat};

pub(crate) use self::moved_keys::MovedKey;
use crate::collections::sets::Set;
use crate::diagnostics::Diagnostics;
use crate::diagnostics::rules::Rule;
use crate::flow::liveness::Liveness;
use crate::ir::usage::{Place, Usage, bound_locals, sources_of};
use crate::ir::{BlockId, BlockKind, Graph, LocalId, Locals, RegionId, Terminator};
use crate::layout::{Layout, Link};
use crate::syntax::conditions::chain;
use crate::syntax::methods::joins;

/// Reports each such lookup once. Returns the keys that may be moved.
pub(crate) fn check(
    graph: &Graph,
    liveness: &Liveness,
    layout: &Layout,
    diagnostics: &Diagnostics,
) -> Vec<MovedKey> {
    let lookups = Lookups { graph, liveness, layout };
    lookups.report_changed_keys(diagnostics);
    branches::report(&lookups, diagnostics);
    across_blocks::report(&lookups, diagnostics);
    moved_keys::find(&lookups)
}

struct Lookups<'a> {
    graph: &'a Graph,
    liveness: &'a Liveness,
    layout: &'a Layout,
}

impl Lookups<'_> {
    /// The rematerialized locals.
    fn rematerialized(&self) -> impl Iterator<Item = LocalId> {
        let locals = &self.graph.locals;
        locals.ids().filter(|local| locals[*local].is_rematerialized())
    }

    fn report_changed_keys(&self, diagnostics: &Diagnostics) {
        let locals = &self.graph.locals;
        for local in self.rematerialized() {
            let keys: Set<Place> = keys(locals, local)
                .iter()
                .flat_map(|key| across_blocks::places_of_key(locals, key))
                .collect();
            let can_change = |key: &Place| {
                let local = &locals[key.local];
                local.mutable && !local.is_temporary
            };
            let is_changed = |key: &&Place| {
                can_change(key)
                    && self.is_while_held(local, |usage| {
                        let written = usage.writes.iter().chain(&usage.may_write);
                        let mut written =
                            written.flat_map(|it| across_blocks::places_changed(locals, it));
                        written.any(|place| place.overlaps(key))
                    })
            };
            let Some(key) = keys.iter().find(is_changed) else { continue };
            let found = &locals[local];
            let name = locals[key.local].name().to_string();
            let key = key.fields.iter().fold(name, |name, field| name + "." + field);
            let what = match found.is_temporary {
                true => "the value looked up here".to_owned(),
                false => format!("`{}`", found.name()),
            };
            diagnostics.error(
                found.ident.span(),
                Rule::SAVED_LOCALS,
                format!("{what} is looked up again after an await, and `{key}` may have changed by then"),
                &format!(
                    "look it up with a copy: `let unchanged = {key}.clone();`, or use the result before `{key}` \
                     changes"
                ),
            );
        }
    }

    /// Whether `this` holds for code that runs while the rematerialized local is live, or for an arm that follows.
    fn is_while_held(&self, local: LocalId, this: impl Fn(&Usage) -> bool) -> bool {
        self.graph.block_ids().any(|id| {
            let block = &self.graph[id];
            (block.all_usages().any(&this) && self.is_held_in(id, local, &this))
                || self.is_held_by_end(id, local, &this)
        })
    }

    fn is_held_in(&self, id: BlockId, local: LocalId, this: &impl Fn(&Usage) -> bool) -> bool {
        let block = &self.graph[id];
        let needed = self.liveness.needed_after(self.graph, id);
        let mut usages = block.all_usages().zip(&needed);
        let segment = self.layout.segment(self.layout.segment_of[id.0]);
        self.is_needed_beside(block.region, local)
            || usages.any(|(usage, needed)| needed.contains(&local) && this(usage))
                && (segment.is_some_and(|segment| segment.rematerialized.contains(&local))
                    || self.liveness.is_needed_until(self.graph, id, local, |to| self.is_arm(to)))
    }

    /// Whether the local is live after the point of a region, or after an enclosing one, or in another branch of it.
    fn is_needed_beside(&self, region: Option<RegionId>, local: LocalId) -> bool {
        let graph = self.graph;
        std::iter::successors(region, |region| graph[*region].parent).any(|id| {
            let point = graph[id].point;
            let resume = graph.block_ids().find(|to| graph[*to].kind == BlockKind::Resume(point));
            let mut others = graph.regions_of(point).filter(|other| *other != id);
            resume.is_some_and(|resume| self.liveness.is_live(resume, local))
                || others.any(|other| self.liveness.captures().is_used_outside(other, local))
        })
    }

    /// Whether `this` holds for the terminator of a block after it has bound the local, and an arm needs the local
    /// later: in an operand of a condition, or in a guard.
    fn is_held_by_end(&self, id: BlockId, local: LocalId, this: &impl Fn(&Usage) -> bool) -> bool {
        let locals = &self.graph.locals;
        let binds = |pat: &Pat| bound_locals(locals, pat).contains(&local);
        let is_later = |to: BlockId| {
            let is_arm = |to| self.is_arm(to);
            is_arm(to) || self.liveness.is_needed_until(self.graph, to, local, is_arm)
        };
        match &self.graph[id].end {
            Terminator::If { cond, then, .. } => {
                let mut operands = chain(cond).into_iter();
                operands.any(|it| matches!(it, Expr::Let(it) if binds(&it.pat)))
                    && operands.any(|operand| this(&Usage::of_expr(locals, operand)))
                    && is_later(*then)
            }
            Terminator::Match { arms, .. }
                if arms.iter().any(|(pat, _)| matches!(pat, Pat::Guard(_))) =>
            {
                let mut guards = arms.iter().map(|(pat, _)| Usage::of_guard(locals, pat));
                let arm = arms.iter().position(|(pat, to)| binds(pat) && is_later(*to));
                arm.is_some_and(|arm| guards.by_ref().take(arm + 1).any(|guard| this(&guard)))
            }
            _ => false,
        }
    }

    fn is_arm(&self, block: BlockId) -> bool {
        self.layout.links[block.0] == Link::Segment
    }
}

/// The keys with which a rematerialized local is looked up.
fn keys(locals: &Locals, local: LocalId) -> Set<Place> {
    struct Keys<'a> {
        locals: &'a Locals,
        found: Set<Place>,
    }
    impl Keys<'_> {
        fn add(&mut self, key: &Expr) {
            self.found.extend(Usage::of_expr(self.locals, key).named());
        }
    }
    impl Visit<'_> for Keys<'_> {
        fn visit_expr_method_call(&mut self, call: &ExprMethodCall) {
            // The arguments of `zip` and `chain` are borrowed as a whole.
            if !joins(call) {
                call.args.iter().for_each(|key| self.add(key));
            }
            visit::visit_expr_method_call(self, call);
        }

        fn visit_expr_index(&mut self, expr: &ExprIndex) {
            self.add(&expr.index);
            visit::visit_expr_index(self, expr);
        }
    }
    let mut keys = Keys { locals, found: Set::new() };
    for made in sources_of(locals, local) {
        if let Some(expr) = locals[made].rematerialized_by() {
            keys.visit_expr(expr);
        }
    }
    keys.found
}
