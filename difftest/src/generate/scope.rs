//! The generator's knowledge of the locals: their owners and borrows.
//!
//! The rules are stricter than Rust's, so that what keeps them compiles: a value may be moved only
//! in the loop, closure or `async` block that declared it; a value that some path has moved counts
//! as moved; a borrow that a statement holds lasts for all of that statement.

mod branches;
mod captures;

use super::types::Ty;
use crate::script::Rng;

pub(super) use captures::Capture;

/// A local, a part of one, or the target of a reference.
#[derive(Clone, Debug)]
pub(super) struct Var {
    /// The expression by which it is used: `v1`, `v1.customer`, `(*v2)`, `v3.as_str()`.
    pub(super) name: String,
    pub(super) ty: Ty,
    mutable: bool,
    /// Whether it is there by value, and so can be moved.
    owned: bool,
    /// Initialized and not moved, on every path.
    alive: bool,
    /// How many loops, closures and `async` blocks its declaration is in.
    depth: usize,
    /// How many branches its declaration is in.
    branches: usize,
    /// Whether one in which it is not declared changes it.
    changed_in_branch: bool,
    /// Whether it was so before it was changed last.
    changed_before: bool,
    /// The whole that it is a part of.
    part_of: Option<usize>,
}

impl Var {
    /// Whether it can be captured by a format string.
    pub(super) fn is_ident(&self) -> bool {
        is_ident(&self.name) && self.name != "self"
    }

    /// Whether it is a place, which can be borrowed for long.
    pub(super) fn is_place(&self) -> bool {
        !self.name.contains(" as ") && !self.name.ends_with("()")
    }

    /// Whether it is never changed, so that a closure that captures it can be made again.
    pub(super) fn is_fixed(&self) -> bool {
        !self.mutable && self.is_place()
    }

    /// The name of the local that this is, or is reached by.
    fn root(&self) -> &str {
        let name = self.name.trim_start_matches(['(', '*', '&']);
        name.split(|c: char| !c.is_alphanumeric() && c != '_').next().unwrap_or_default()
    }
}

/// The use of a local.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Use {
    /// Copied or borrowed for a moment.
    Read,
    /// Changed in place.
    Change,
    /// Moved out.
    Move,
    /// Moved out, and given a new value.
    Refill,
    /// Given a new value, after the old one may have been moved out.
    Assign,
}

/// How far a local is out of reach.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Hold {
    /// It may be read.
    Shared,
    /// It may not be touched.
    Exclusive,
}

/// All locals in scope.
#[derive(Clone, Debug, Default)]
pub(super) struct Scope {
    vars: Vec<Var>,
    holds: Vec<(usize, Hold)>,
    depth: usize,
    branches: usize,
    /// Locals below this that show their drop are not moved: part of an expression may move them or not, and
    /// if nothing in it is awaited, they go early.
    stays_below: usize,
    /// Locals below this belong to what is around an `async` block or closure.
    captured: usize,
    capture: Capture,
    /// Locals below this belong to what is around an `async move` block that this is deeper in. To name
    /// one would move it there.
    movable_from: usize,
    /// What the block or closure has done with those.
    touched: Vec<(usize, Use)>,
    /// How many `async` blocks around this may be given up. What they save is then not dropped, so
    /// nothing in them may show its drop.
    quiet: usize,
}

/// Where a scope began.
#[derive(Clone, Copy, Debug)]
pub(super) struct Mark {
    vars: usize,
    holds: usize,
}

impl Scope {
    /// Declares a local that owns its value, with its parts.
    pub(super) fn declare(&mut self, name: &str, ty: Ty, mutable: bool) {
        let whole = self.vars.len();
        let (depth, branches) = (self.depth, self.branches);
        let var = |name: String, ty: Ty, part_of: Option<usize>| {
            let owned = true;
            let (alive, changed_in_branch, changed_before) = (true, false, false);
            Var {
                name,
                ty,
                mutable,
                owned,
                alive,
                depth,
                branches,
                changed_in_branch,
                changed_before,
                part_of,
            }
        };
        self.vars.push(var(name.to_owned(), ty, None));
        let parts = ty.parts().iter().map(|(field, ty)| (format!("{name}.{field}"), *ty));
        self.vars.extend(parts.map(|(name, ty)| var(name, ty, Some(whole))));
    }

    /// Declares the target of a reference, by its expression.
    pub(super) fn declare_borrowed(&mut self, name: &str, ty: Ty, mutable: bool) {
        let from = self.vars.len();
        self.declare(name, ty, mutable);
        self.vars[from..].iter_mut().for_each(|var| var.owned = false);
    }

    /// Declares what a pattern binds: a name, or the expression for what that name lends.
    pub(super) fn bind(&mut self, name: &str, ty: Ty, mutable: bool) {
        if is_ident(name) {
            self.declare(name, ty, mutable);
        } else {
            self.declare_borrowed(name, ty, mutable);
        }
    }

    /// Begins a scope, to be ended by [`Scope::leave`].
    pub(super) fn enter(&self) -> Mark {
        Mark { vars: self.vars.len(), holds: self.holds.len() }
    }

    pub(super) fn leave(&mut self, mark: Mark) {
        self.vars.truncate(mark.vars);
        self.holds.truncate(mark.holds);
    }

    /// Ends what is held since the mark, but keeps the locals.
    pub(super) fn release(&mut self, mark: Mark) {
        self.holds.truncate(mark.holds);
    }

    /// Keeps a local from being moved or touched until the scope or statement ends.
    pub(super) fn hold(&mut self, index: usize, hold: Hold) {
        self.holds.push((index, hold));
    }

    /// Runs `body` as the body of a loop.
    pub(super) fn begin_loop(&mut self) {
        self.depth += 1;
    }

    pub(super) fn end_loop(&mut self) {
        self.depth -= 1;
    }

    /// Begins code that may be given up, and whose locals are then not dropped.
    pub(super) fn begin_quiet(&mut self) {
        self.quiet += 1;
    }

    pub(super) fn end_quiet(&mut self) {
        self.quiet -= 1;
    }

    /// Whether no local may show its drop here.
    pub(super) fn is_quiet(&self) -> bool {
        self.quiet > 0
    }

    /// Which locals are alive.
    pub(super) fn alive(&self) -> Vec<bool> {
        self.vars.iter().map(|var| var.alive).collect()
    }

    /// Sets which locals are alive, for those that were declared then.
    pub(super) fn set_alive(&mut self, alive: &[bool]) {
        for (var, alive) in self.vars.iter_mut().zip(alive) {
            var.alive = *alive;
        }
    }

    /// Notes what has been moved here among what is alive where control goes, too.
    pub(super) fn note_moved(&self, alive: &mut [bool]) {
        for (alive, var) in alive.iter_mut().zip(&self.vars) {
            *alive &= var.alive;
        }
    }

    /// Of the locals that were declared then, only those that were alive then, too, are it from here on.
    pub(super) fn keep_alive(&mut self, alive: &[bool]) {
        for (var, alive) in self.vars.iter_mut().zip(alive) {
            var.alive &= alive;
        }
    }

    pub(super) fn var(&self, index: usize) -> &Var {
        &self.vars[index]
    }

    /// A local of this type that can be used in this way, and is not shadowed.
    pub(super) fn find(&mut self, ty: Ty, usage: Use, rng: &mut Rng) -> Option<usize> {
        self.find_where(ty, usage, rng, |_| true)
    }

    /// Such a local that `fits`.
    pub(super) fn find_where(
        &mut self,
        ty: Ty,
        usage: Use,
        rng: &mut Rng,
        fits: impl Fn(&Var) -> bool,
    ) -> Option<usize> {
        let fitting: Vec<usize> = (0..self.vars.len())
            .filter(|index| fits(&self.vars[*index]) && self.is_usable(*index, ty, usage))
            .collect();
        let index = if fitting.is_empty() { None } else { Some(rng.pick(&fitting)) }?;
        if index < self.captured {
            self.touched.push((index, usage));
        }
        self.note_change(index, usage);
        Some(index)
    }

    /// A local, or a part of one, that has been moved and can be given a new value. A local that shows its drop is not in
    /// a branch, behind which nothing could read it; a part shows none, since a copy of it is dropped, too.
    pub(super) fn find_moved(&mut self, rng: &mut Rng) -> Option<usize> {
        let shows = |var: &Var| {
            var.ty.is_noisy() && (var.part_of.is_some() || var.branches < self.branches)
        };
        let fitting: Vec<usize> = (self.captured..self.vars.len())
            .filter(|index| !self.vars[*index].alive && !shows(&self.vars[*index]))
            .filter(|index| self.is_usable(*index, self.vars[*index].ty, Use::Assign))
            .collect();
        let index = if fitting.is_empty() { None } else { Some(rng.pick(&fitting)) }?;
        self.note_change(index, Use::Assign);
        Some(index)
    }

    /// Whether a local can be given a new value.
    pub(super) fn is_assignable(&self, index: usize) -> bool {
        self.is_usable(index, self.vars[index].ty, Use::Assign)
    }

    /// The whole that a local is, and the parts that belong to it.
    fn family(&self, index: usize) -> std::ops::RangeInclusive<usize> {
        let whole = self.vars[index].part_of.unwrap_or(index);
        whole..=whole + self.vars[whole].ty.parts().len()
    }

    /// What is touched with a local: its parts, or the whole that it is a part of.
    fn relatives(&self, index: usize) -> impl Iterator<Item = usize> {
        let part_of = self.vars[index].part_of;
        self.family(index)
            .filter(move |other| part_of.is_none() || *other == index || Some(*other) == part_of)
    }

    fn is_shadowed(&self, index: usize) -> bool {
        let last = *self.family(index).end();
        let root = self.vars[index].root();
        // `self` cannot be declared again; its fields are.
        root != "self" && self.vars[last + 1..].iter().any(|later| later.root() == root)
    }

    fn is_usable(&self, index: usize, ty: Ty, usage: Use) -> bool {
        let var = &self.vars[index];
        if var.ty != ty || self.is_shadowed(index) || (ty.is_noisy() && self.quiet > 0) {
            return false;
        }
        if index < self.movable_from && (!ty.is_copy() || !var.owned) {
            return false;
        }
        let moves = matches!(usage, Use::Move | Use::Refill);
        if moves && ty.is_noisy() && index < self.stays_below {
            return false;
        }
        let held = |hold| self.relatives(index).any(|other| self.holds.contains(&(other, hold)));
        let own = index >= self.captured;
        // Who changes a part and uses the whole captures the whole.
        let is_captured = !own && self.capture == Capture::Borrow;
        let is_shared = |index: usize| self.holds.contains(&(index, Hold::Shared));
        let is_free =
            if is_captured { !self.family(index).any(is_shared) } else { !held(Hold::Shared) };
        let may = match self.capture {
            _ if own => true,
            Capture::Read => usage == Use::Read,
            Capture::Borrow => matches!(usage, Use::Read | Use::Change),
            // It must be movable to where the block is.
            Capture::Move => {
                let in_place = usage != Use::Read && usage != Use::Move;
                let is_movable = is_free && var.owned && var.depth + 1 == self.depth;
                ty == Ty::Str || var.owned && ty.is_copy() && !in_place || is_movable && !in_place
            }
        };
        let depth = if own { self.depth } else { self.depth.saturating_sub(1) };
        let is_whole = self.relatives(index).all(|other| self.vars[other].alive);
        // A part of a moved value cannot be assigned.
        let is_placed = var.part_of.is_none_or(|whole| self.vars[whole].alive);
        may && !held(Hold::Exclusive)
            && match usage {
                Use::Read => is_whole,
                Use::Change => is_whole && var.mutable && is_free,
                Use::Refill => {
                    let shows = var.part_of.is_some() && var.ty.is_noisy();
                    is_whole && !shows && var.mutable && is_free && var.owned
                }
                Use::Move => is_whole && is_free && var.owned && var.depth == depth,
                Use::Assign => is_placed && var.mutable && is_free && own,
            }
    }

    /// Notes that a local was moved.
    pub(super) fn moved(&mut self, index: usize) {
        self.vars[index].alive = self.vars[index].ty.is_copy();
    }

    /// Notes that a local was given a value.
    pub(super) fn assigned(&mut self, index: usize) {
        self.vars[index].alive = true;
        if self.vars[index].part_of.is_none() {
            let parts = self.vars[index].ty.parts().len();
            self.vars[index..=index + parts].iter_mut().for_each(|var| var.alive = true);
        }
    }

    /// The name of a local that a new one may shadow.
    pub(super) fn any_name(&self, rng: &mut Rng) -> Option<String> {
        let names = self.vars.iter().filter(|var| var.is_ident()).map(|var| &var.name);
        let names: Vec<&String> = names.collect();
        if names.is_empty() { None } else { Some(rng.pick(&names).clone()) }
    }
}

fn is_ident(name: &str) -> bool {
    name.chars().all(|c| c.is_alphanumeric() || c == '_')
}
