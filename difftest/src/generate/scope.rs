//! What the generator knows of the locals: who owns what, and what is borrowed.
//!
//! The rules are stricter than Rust's, so that what keeps them compiles: a value may be moved only
//! in the loop, closure or `async` block that declared it; a value that some path has moved counts
//! as moved; a borrow that a statement holds lasts for all of that statement.

use super::types::Ty;
use crate::script::Rng;

/// A local.
#[derive(Clone, Debug)]
pub(super) struct Var {
    pub(super) name: String,
    pub(super) ty: Ty,
    pub(super) mutable: bool,
    /// Initialized and not moved, on every path.
    alive: bool,
    /// How many loops, closures and `async` blocks its declaration is in.
    depth: usize,
}

/// What is done with a local.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Use {
    /// Copied or borrowed for a moment.
    Read,
    /// Changed in place or assigned to.
    Change,
    /// Moved out.
    Move,
    /// Moved out, and given a new value.
    Refill,
}

/// How far a local is out of reach.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Hold {
    /// It may be read.
    Shared,
    /// It may not be touched.
    Exclusive,
}

/// What code that captures locals may do with them.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(super) enum Capture {
    /// A closure reads them.
    #[default]
    Read,
    /// An `async` block borrows them, perhaps to change them.
    Borrow,
    /// An `async move` block has copies, or takes them.
    Move,
}

/// What is around code that captures. See [`Scope::begin_capture`].
#[derive(Debug)]
pub(super) struct Outside {
    captured: usize,
    capture: Capture,
    touched: Vec<(usize, Use)>,
}

/// All locals in scope.
#[derive(Clone, Debug, Default)]
pub(super) struct Scope {
    vars: Vec<Var>,
    holds: Vec<(usize, Hold)>,
    depth: usize,
    /// Locals below this belong to what is around an `async` block or closure.
    captured: usize,
    capture: Capture,
    /// What the block or closure has done with those.
    touched: Vec<(usize, Use)>,
}

/// Where a scope began.
#[derive(Clone, Copy, Debug)]
pub(super) struct Mark {
    vars: usize,
    holds: usize,
}

impl Scope {
    pub(super) fn declare(&mut self, name: String, ty: Ty, mutable: bool, alive: bool) {
        self.vars.push(Var { name, ty, mutable, alive, depth: self.depth });
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

    /// Runs `body` as what is in a loop.
    pub(super) fn begin_loop(&mut self) {
        self.depth += 1;
    }

    pub(super) fn end_loop(&mut self) {
        self.depth -= 1;
    }

    /// Begins an `async` block or a closure. Returns what [`Scope::end_capture`] needs.
    pub(super) fn begin_capture(&mut self, capture: Capture) -> Outside {
        self.depth += 1;
        Outside {
            captured: std::mem::replace(&mut self.captured, self.vars.len()),
            capture: std::mem::replace(&mut self.capture, capture),
            touched: std::mem::take(&mut self.touched),
        }
    }

    /// Ends it. What it uses is kept for as long as the statement lasts.
    pub(super) fn end_capture(&mut self, outside: Outside) {
        self.depth -= 1;
        let touched = std::mem::replace(&mut self.touched, outside.touched);
        let capture = std::mem::replace(&mut self.capture, outside.capture);
        self.captured = outside.captured;
        for (index, usage) in touched {
            let ty = self.vars[index].ty;
            match (capture, usage) {
                (Capture::Move, _) if ty != Ty::Str => self.moved(index),
                (Capture::Borrow, Use::Change) => self.hold(index, Hold::Exclusive),
                (Capture::Read | Capture::Borrow | Capture::Move, _) => {
                    self.hold(index, Hold::Shared);
                }
            }
            if index < self.captured {
                self.touched.push((index, usage));
            }
        }
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

    pub(super) fn var(&self, index: usize) -> &Var {
        &self.vars[index]
    }

    /// A local of this type that can be used in this way, and is not shadowed.
    pub(super) fn find(&mut self, ty: Ty, usage: Use, rng: &mut Rng) -> Option<usize> {
        let fitting: Vec<usize> =
            (0..self.vars.len()).filter(|index| self.is_usable(*index, ty, usage)).collect();
        let index = if fitting.is_empty() { None } else { Some(rng.pick(&fitting)) }?;
        if index < self.captured {
            self.touched.push((index, usage));
        }
        Some(index)
    }

    fn is_usable(&self, index: usize, ty: Ty, usage: Use) -> bool {
        let var = &self.vars[index];
        let shadowed = self.vars[index + 1..].iter().any(|later| later.name == var.name);
        let held = |hold| self.holds.contains(&(index, hold));
        let own = index >= self.captured;
        let is_free = !held(Hold::Shared);
        let may = |usage| match self.capture {
            _ if own => true,
            Capture::Read => usage == Use::Read,
            Capture::Borrow => matches!(usage, Use::Read | Use::Change),
            // It must be movable to where the block is.
            Capture::Move => {
                let in_place = matches!(usage, Use::Change | Use::Refill);
                ty.is_copy() || is_free && var.depth + 1 == self.depth && !in_place
            }
        };
        let depth = if own { self.depth } else { self.depth.saturating_sub(1) };
        var.ty == ty
            && may(usage)
            && !shadowed
            && !held(Hold::Exclusive)
            && match usage {
                Use::Read => var.alive,
                Use::Change | Use::Refill => var.alive && var.mutable && is_free,
                Use::Move => var.alive && is_free && var.depth == depth,
            }
    }

    /// Notes that a local was moved.
    pub(super) fn moved(&mut self, index: usize) {
        self.vars[index].alive = self.vars[index].ty.is_copy();
    }

    /// The name of a local that a new one may shadow.
    pub(super) fn any_name(&self, rng: &mut Rng) -> Option<String> {
        // One that is held may not be named again below its borrow, but may be shadowed.
        let names: Vec<&String> = self.vars.iter().map(|var| &var.name).collect();
        if names.is_empty() { None } else { Some(rng.pick(&names).clone()) }
    }
}
