//! Parts of one looked-up value that several branches change.

use quote::ToTokens;
use syn::{Expr, Pat};

use super::{Lookups, across_blocks};
use crate::diagnostics::Diagnostics;
use crate::diagnostics::rules::Rule;
use crate::ir::{LocalId, Locals, SharedPattern};

/// Reports them: each branch would repeat the lookup, and two mutable borrows cannot coexist.
pub(super) fn report(lookups: &Lookups<'_>, diagnostics: &Diagnostics) {
    report_mutable(lookups, diagnostics);
    let locals = &lookups.graph.locals;
    for local in locals.ids() {
        let Some(pattern) = locals[local].shared_pattern() else { continue };
        let is_beside = |other: &LocalId| locals[*other].shared_pattern() == Some(pattern);
        let mut before = locals.ids().take_while(|other| *other != local).filter(is_beside);
        let Some(other) = before.find(|other| are_apart(lookups, pattern, [*other, local])) else {
            continue;
        };
        let (a, b) = (locals[other].name(), locals[local].name());
        diagnostics.error(
            locals[local].ident.span(),
            Rule::SAVED_LOCALS,
            format!("`{a}` and `{b}` are parts of one lookup, and are used in two concurrent branches"),
            "use both in one branch, or borrow each part of a variable by itself: `let a = &mut pair.0; let b = &mut \
             pair.1;`",
        );
        return;
    }
}

/// Reports a mutable borrow that several branches use: each would rematerialize it.
fn report_mutable(lookups: &Lookups<'_>, diagnostics: &Diagnostics) {
    let Lookups { graph, liveness, .. } = lookups;
    let is_shared = |local: LocalId| {
        graph.region_ids().any(|id| liveness.captures().is_shared(graph, Some(id), local))
    };
    let mut mutable =
        lookups.rematerialized().filter(|local| across_blocks::is_mutable(&graph.locals, *local));
    let Some(local) = mutable.find(|local| is_shared(*local)) else { return };
    let name = graph.locals[local].name();
    let place = match graph.locals[local].rematerialized_by() {
        Some(Expr::Reference(borrow)) => name_of_place(&graph.locals, &borrow.expr),
        _ => None,
    };
    let help = match place {
        Some(place) => {
            format!("write the place itself in the branches: `{place}` instead of `{name}`")
        }
        None => {
            "use it in one branch, or return values from the branches and change it after them: \
                 `let (a, b) = join!(…);`"
                .to_owned()
        }
    };
    diagnostics.error(
        graph.locals[local].ident.span(),
        Rule::SAVED_LOCALS,
        format!("`{name}` is a mutable borrow, and is used in two concurrent branches"),
        &help,
    );
}

/// The source of a local or a field of one.
fn name_of_place(locals: &Locals, place: &Expr) -> Option<String> {
    match place {
        Expr::Path(path) => locals.of_path(&path.path).map(|local| locals[local].name().to_owned()),
        Expr::Field(field) => {
            let base = name_of_place(locals, &field.base)?;
            Some(format!("{base}.{}", field.member.to_token_stream()))
        }
        Expr::Paren(place) => name_of_place(locals, &place.expr),
        _ => None,
    }
}

/// Whether the two locals are used by different branches.
fn are_apart(lookups: &Lookups<'_>, made_with: &SharedPattern, [a, b]: [LocalId; 2]) -> bool {
    let Lookups { graph, liveness, .. } = lookups;
    // A closure captures disjoint parts of a place.
    let is_place = matches!(made_with.value, Expr::Path(_) | Expr::Field(_))
        && matches!(made_with.pat, Pat::Tuple(_) | Pat::Struct(_));
    let captures = liveness.captures();
    let uses = |region, local| captures.is_used_outside(region, local);
    let has_alone =
        |region, local| uses(region, local) && !captures.is_shared(graph, Some(region), local);
    !is_place
        && graph.region_ids().any(|id| {
            let others = || graph.regions_of(graph[id].point).filter(move |other| *other != id);
            let is_beside = |one, other| has_alone(id, one) && others().any(|id| uses(id, other));
            is_beside(a, b) || is_beside(b, a)
        })
}
