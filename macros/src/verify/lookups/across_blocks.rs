//! Borrows that are held across an `async` block which changes the borrowed place.
//!
//! ```text
//! let last = notes.last().unwrap();
//! async { notes.push(load().await); }.await;
//! show(last);
//! ```
//!
//! rustc refuses this, but would accept the machine, where each block borrows separately.

use syn::{Expr, ExprCall, Pat};

use super::Lookups;
use crate::diagnostics::Diagnostics;
use crate::diagnostics::rules::Rule;
use crate::ir::usage::{Place, Usage, sources_of};
use crate::ir::{BlockKind, Local, LocalId, Locals, RegionId};

/// Reports each such borrow once.
pub(super) fn report(lookups: &Lookups<'_>, diagnostics: &Diagnostics) {
    let Lookups { graph, liveness, .. } = lookups;
    let locals = &graph.locals;
    let mut reported = Vec::new();
    for block in graph.block_ids() {
        let BlockKind::Resume(point) = graph[block].kind else { continue };
        if !graph.has_regions(point) {
            continue;
        }
        let needed = liveness.live_in(block).iter().map(|place| place.local);
        for local in needed {
            let found = sources(locals, local).into_iter().find(|source| {
                graph.regions_of(point).any(|region| is_changed(lookups, region, local, source))
            });
            let Some(source) = found.filter(|_| !reported.contains(&local)) else { continue };
            reported.push(local);
            let (of, name) = (locals[source.place.local].name(), locals[local].name());
            let what = match locals[local] {
                Local { loop_borrow: Some(_), .. } => "the iterator of this loop".to_owned(),
                Local { is_temporary: true, .. } => "the value borrowed here".to_owned(),
                _ => format!("`{name}`"),
            };
            diagnostics.error(
                locals[local].ident.span(),
                Rule::SAVED_LOCALS,
                format!("{what} borrows from `{of}` and is needed after an `async` block that changes or uses `{of}`"),
                "use it before the block, or borrow it after the block",
            );
        }
    }
}

/// Whether the region changes or moves a place while the local borrows it.
fn is_changed(lookups: &Lookups<'_>, region: RegionId, local: LocalId, source: &Source) -> bool {
    let Lookups { graph, liveness, .. } = lookups;
    let overlaps = |place: &Place| place.overlaps(&source.place);
    if !source.is_mutable {
        return graph.usages_within(region).any(|usage| usage.writes.iter().any(overlaps));
    }
    // A change through the borrow itself is allowed.
    let is_through = liveness.captures().is_used_outside(region, local);
    let uses = |usage: &Usage| {
        let Usage { reads, writes, may_write, moved, .. } = usage;
        [reads, writes, may_write, moved].into_iter().flatten().any(overlaps)
    };
    !is_through && graph.usages_within(region).any(uses)
}

/// Whether the local is a mutable borrow.
pub(super) fn is_mutable(locals: &Locals, local: LocalId) -> bool {
    sources(locals, local).iter().any(|source| source.is_mutable)
}

/// The places of a key: its own, and those that it borrows from.
pub(super) fn places_of_key(locals: &Locals, key: &Place) -> Vec<Place> {
    let sources = sources(locals, key.local);
    let mut places: Vec<Place> = sources.iter().map(|source| source.place_of(key)).collect();
    if places.is_empty() {
        // The captures of a rematerialized closure.
        places.extend(sources_of(locals, key.local).into_iter().map(Place::whole));
        places.retain(|place| place.local != key.local);
    }
    places.push(key.clone());
    places
}

/// The places that a change of `place` changes: itself, and the place that it borrows.
pub(super) fn places_changed(locals: &Locals, place: &Place) -> Vec<Place> {
    let sources = sources(locals, place.local).into_iter().filter(|source| source.is_mutable);
    sources.map(|source| source.place_of(place)).chain([place.clone()]).collect()
}

/// A place that a local borrows.
struct Source {
    place: Place,
    /// Whether the local borrows the place itself, and not a part of it.
    is_all: bool,
    is_mutable: bool,
}

impl Source {
    /// The place that corresponds to `place`, a projection of the local.
    fn place_of(&self, place: &Place) -> Place {
        let mut of = self.place.clone();
        if self.is_all {
            of.fields.extend(place.fields.iter().cloned());
        }
        of
    }

    /// Restricts the borrow to a part of the place.
    fn go_in(&mut self, is_mutable: bool) {
        self.is_all = false;
        self.is_mutable |= is_mutable;
    }
}

fn sources(locals: &Locals, local: LocalId) -> Vec<Source> {
    let mut sources = Vec::new();
    let made = locals[local].rematerialized_by().or(locals[local].loop_borrow.as_ref());
    if let Some(made) = made {
        add_sources(locals, made, 0, &mut sources);
    }
    sources
}

/// The maximum depth of borrows of borrows, more than a user writes.
const MAX_DEPTH: usize = 16;

fn add_sources(locals: &Locals, made: &Expr, depth: usize, out: &mut Vec<Source>) {
    let first = out.len();
    if depth > MAX_DEPTH {
        return;
    }
    match made {
        Expr::Reference(expr) => {
            add_sources(locals, &expr.expr, depth + 1, out);
            let is_mutable = expr.mutability.is_some();
            out[first..].iter_mut().for_each(|source| source.is_mutable = is_mutable);
        }
        Expr::Call(call) => {
            let Some((lent, is_mutable)) = lent(call) else { return };
            add_sources(locals, lent, depth + 1, out);
            out[first..].iter_mut().for_each(|source| source.go_in(is_mutable));
        }
        Expr::MethodCall(call) => {
            add_sources(locals, &call.receiver, depth + 1, out);
            let is_mutable = call.method.to_string().ends_with("_mut");
            out[first..].iter_mut().for_each(|source| source.go_in(is_mutable));
        }
        Expr::Match(made) => {
            add_sources(locals, &made.expr, depth + 1, out);
            let is_mutable = made.arms.iter().any(|arm| has_ref_mut(&arm.pat));
            // The rest of the value that a pattern does not bind may be borrowed elsewhere.
            if !matches!(*made.expr, Expr::Call(_)) {
                let taken = out.split_off(first).into_iter();
                out.extend(taken.filter(|source| !locals[source.place.local].is_rematerialized()));
            }
            out[first..].iter_mut().for_each(|source| source.go_in(is_mutable));
        }
        Expr::If(made) => {
            for stmt in &made.then_branch.stmts {
                if let syn::Stmt::Expr(given, None) = stmt {
                    add_sources(locals, given, depth + 1, out);
                }
            }
            if let Some((_, otherwise)) = &made.else_branch {
                add_sources(locals, otherwise, depth + 1, out);
            }
        }
        Expr::Block(block) => {
            if let [syn::Stmt::Expr(given, None)] = &*block.block.stmts {
                add_sources(locals, given, depth + 1, out);
            }
        }
        Expr::Field(field) => {
            add_sources(locals, &field.base, depth + 1, out);
            for source in &mut out[first..] {
                if source.is_all {
                    source.place = source.place.clone().field(&field.member);
                }
            }
        }
        Expr::Index(expr) => {
            add_sources(locals, &expr.expr, depth + 1, out);
            out[first..].iter_mut().for_each(|source| source.go_in(false));
        }
        Expr::Array(expr) => {
            expr.elems.iter().for_each(|part| add_sources(locals, part, depth + 1, out));
        }
        Expr::Tuple(expr) => {
            expr.elems.iter().for_each(|part| add_sources(locals, part, depth + 1, out));
        }
        Expr::Unary(expr) => add_sources(locals, &expr.expr, depth + 1, out),
        Expr::Paren(expr) => add_sources(locals, &expr.expr, depth + 1, out),
        Expr::Path(path) => {
            let Some(local) = locals.of_path(&path.path) else {
                return;
            };
            if let Some(made) = locals[local].rematerialized_by() {
                add_sources(locals, made, depth + 1, out);
            }
            // A borrow through another borrow also borrows from that one.
            out.push(Source { place: Place::whole(local), is_all: true, is_mutable: false });
        }
        _ => {}
    }
}

/// The argument that a call borrows, and whether mutably.
fn lent(call: &ExprCall) -> Option<(&Expr, bool)> {
    let Expr::Path(path) = &*call.func else { return None };
    let function = path.path.segments.last()?.ident.to_string();
    match (function.as_str(), call.args.first(), call.args.last()) {
        ("lent_by", _, Some(lent)) => Some((lent, false)),
        ("lent_mutably", _, Some(lent)) => Some((lent, true)),
        ("lender", Some(lent), _) => Some((lent, true)),
        // `Some(&order)`, and generated calls that rematerialize a borrow.
        (_, Some(lent), _) => Some((lent, false)),
        _ => None,
    }
}

fn has_ref_mut(pat: &Pat) -> bool {
    struct RefMut(bool);
    impl syn::visit::Visit<'_> for RefMut {
        fn visit_pat_ident(&mut self, pat: &syn::PatIdent) {
            self.0 |= pat.by_ref.is_some() && pat.mutability.is_some();
            syn::visit::visit_pat_ident(self, pat);
        }
    }
    let mut found = RefMut(false);
    syn::visit::Visit::visit_pat(&mut found, pat);
    found.0
}
