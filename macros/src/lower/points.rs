//! The suspension points of a function, in source order.
//!
//! A point has the name of its stored state. Equal names get numbers in source order, unless `#[state]` gives another
//! name. The name of a state in an `async` block starts with that of its branch, such as `join.0.charge`, so that
//! branches do not affect each other's names.

use std::collections::HashMap;

use proc_macro2::Span;

use crate::collections::by_name::NameMap;
use crate::diagnostics::Diagnostics;
use crate::diagnostics::rules::Rule;
use crate::ir::{NamedBranch, Point, PointId, PointKind};
use crate::syntax::fingerprint::{Fingerprint, Place};

/// `#[state("…")]`
pub(crate) struct Pin {
    pub(super) name: String,
    pub(super) span: Span,
}

/// A branch, its `#[state("…")]`, and the fingerprint of its condition.
pub(crate) struct BranchName {
    pub(super) branch: NamedBranch,
    pub(super) pin: Option<Pin>,
    pub(super) condition: Fingerprint,
}

impl BranchName {
    /// The branch under this condition.
    pub(crate) fn under(self, condition: Fingerprint) -> Self {
        Self { condition, ..self }
    }
}

/// The points found so far, and the context of the next one.
#[derive(Debug)]
pub(crate) struct Points {
    list: Vec<Point>,
    /// The points with `#[state("…")]`.
    pinned: Vec<(PointId, Span)>,
    /// The fingerprint of the enclosing patterns and conditions.
    around: Fingerprint,
    /// The branch whose `async` block is being lowered.
    within: Option<(PointId, usize)>,
}

impl Points {
    pub(crate) fn new() -> Self {
        let (list, pinned) = (Vec::new(), Vec::new());
        Self { list, pinned, around: Fingerprint::NONE, within: None }
    }

    /// Adds a point. Its name need not be unique.
    pub(crate) fn add(
        &mut self,
        (name, place): (String, Place),
        kind: PointKind,
        span: Span,
    ) -> PointId {
        let (within, around) = (self.within, self.around);
        let (repeats, branches) = (None, Vec::new());
        self.list.push(Point { name, kind, span, within, repeats, place, around, branches });
        PointId(self.list.len() - 1)
    }

    pub(crate) fn count(&self) -> usize {
        self.list.len()
    }

    /// Enters a pattern or condition. Returns the outer fingerprint, for [`leave`](Self::leave).
    pub(crate) fn enter(&mut self, fingerprint: Fingerprint) -> Fingerprint {
        let outer = self.around;
        self.around = outer.around(fingerprint);
        outer
    }

    /// The fingerprint of the patterns and conditions around the code being lowered.
    pub(crate) fn surroundings(&self) -> Fingerprint {
        self.around
    }

    pub(crate) fn leave(&mut self, outer: Fingerprint) {
        self.around = outer;
    }

    /// Enters the `async` block of a branch. Returns the outer branch, for [`leave_branch`](Self::leave_branch).
    pub(crate) fn enter_branch(
        &mut self,
        point: PointId,
        index: usize,
    ) -> Option<(PointId, usize)> {
        self.within.replace((point, index))
    }

    pub(crate) fn leave_branch(&mut self, outer: Option<(PointId, usize)>) {
        self.within = outer;
    }

    /// Whether the code being lowered is in an `async` block of a branch.
    pub(crate) fn is_in_branch(&self) -> bool {
        self.within.is_some()
    }

    /// The points, with unique names.
    pub(crate) fn named(mut self, diagnostics: &Diagnostics) -> Vec<Point> {
        number(&mut self.list, &self.pinned, diagnostics);
        self.list
    }

    /// Sets the branches of a point.
    pub(crate) fn set_branches(
        &mut self,
        point: PointId,
        names: Vec<BranchName>,
        diagnostics: &Diagnostics,
    ) {
        let pins: Vec<_> = names.iter().filter_map(|name| name.pin.as_ref()).collect();
        let mut seen: NameMap<Vec<usize>> = NameMap::default();
        for (index, BranchName { branch, pin, .. }) in names.iter().enumerate() {
            let name = pin.as_ref().map_or(&branch.name, |pin| &pin.name);
            seen.get_or_insert(name.clone(), Vec::new()).push(index);
        }
        for pin in pins {
            if seen.get(&pin.name).is_some_and(|alike| alike.len() > 1) {
                diagnostics.error(
                    pin.span,
                    Rule::STATE_NAME,
                    format!("another branch is named `{}`", pin.name),
                    "give each branch a different name",
                );
            }
        }
        let fingerprints: Vec<_> = names.iter().map(|name| name.branch.place.fingerprint).collect();
        let branches = names.into_iter().enumerate().map(|(index, name)| {
            let BranchName { mut branch, pin, condition } = name;
            let name = pin.map_or(branch.name, |pin| pin.name);
            let alike = seen.get(&name).map_or(&[][..], |alike| alike);
            // Branches with equal source are distinguished by their conditions.
            let is_equal = |other: &&usize| fingerprints[**other] == fingerprints[index];
            if alike.iter().filter(is_equal).count() > 1 {
                branch.place.fingerprint = condition.around(branch.place.fingerprint);
            }
            let number = alike.iter().take_while(|other| **other <= index).count();
            let place = branch.place.of_several(number, alike.len());
            NamedBranch { name, place, is_block: branch.is_block }
        });
        self.list[point.0].branches = branches.collect();
    }

    /// Gives the name in `#[state]` to the only point added since there were `first` points.
    pub(crate) fn pin(&mut self, pin: Option<Pin>, first: usize, diagnostics: &Diagnostics) {
        let Some(pin) = pin else { return };
        let is_select = |point: &Point| point.kind == PointKind::Select;
        let within = self.within;
        match &mut self.list[first..] {
            // The handlers of a `select!` and the `async` blocks of branches have states of their own.
            [point, rest @ ..]
                if is_select(point) || rest.iter().all(|point| point.within != within) =>
            {
                point.name = pin.name;
            }
            points => {
                let message = if points.is_empty() {
                    "`#[state]` names the state of an `.await`, and there is none here"
                } else {
                    "`#[state]` names one state, and there are several here"
                };
                diagnostics.error(
                    pin.span,
                    Rule::STATE_NAME,
                    message,
                    "put `#[state(\"…\")]` on a statement with one `.await`",
                );
                return;
            }
        }
        self.pinned.push((PointId(first), pin.span));
    }
}

/// Makes the names unique: the second `charge` becomes `charge#2`. Reports a name in `#[state]` that another state has
/// as well.
fn number(points: &mut [Point], pinned: &[(PointId, Span)], diagnostics: &Diagnostics) {
    let mut pins: NameMap<Span> = NameMap::default();
    let report = |span: Span, name: &str| {
        diagnostics.error(
            span,
            Rule::STATE_NAME,
            format!("another state is named `{name}`"),
            "give each state a different name",
        );
    };
    for (id, span) in pinned {
        let name = points[id.0].name.clone();
        if name == "start" || pins.contains(&name) {
            report(*span, &name);
        } else {
            pins.insert(name, *span);
        }
    }
    let mut counts = NameMap::default();
    counts.insert("start".to_owned(), 1_usize);
    let mut numbered = Vec::new();
    for index in 0..points.len() {
        if pinned.iter().any(|(id, _)| id.0 == index) {
            continue;
        }
        // The list has a point before the points in its branches.
        if let Some((outer, branch)) = points[index].within {
            points[index].name =
                format!("{}.{branch}.{}", points[outer.0].name, points[index].name);
        }
        let name = &mut points[index].name;
        let count = counts.get_or_insert(name.clone(), 0);
        *count += 1;
        // The name `start` belongs to the first state, which has no await.
        let first = if name == "start" { 2 } else { 1 };
        points[index].place.index = *count + 1 - first;
        numbered.push((index, name.clone(), first));
        if *count > 1 {
            let shared = std::mem::take(name);
            *name = format!("{shared}#{count}");
            points[index].repeats = Some(shared);
        }
        if let Some(span) = pins.remove(&points[index].name) {
            report(span, &points[index].name);
        }
    }
    // Awaits with equal source are distinguished by the code around them.
    let fingerprint = |index: usize| points[index].place.fingerprint;
    let mut alike = HashMap::new();
    for (index, name, _) in &numbered {
        alike.entry((name, fingerprint(*index))).or_insert_with(Vec::new).push(*index);
    }
    for index in alike.into_values().filter(|alike| alike.len() > 1).flatten() {
        let point = &mut points[index];
        point.place.fingerprint = point.around.around(point.place.fingerprint);
    }
    for (index, name, first) in numbered {
        let count = counts.get(&name).map_or(1, |count| *count + 1 - first);
        let place = points[index].place;
        points[index].place = place.of_several(place.index, count);
    }
}
