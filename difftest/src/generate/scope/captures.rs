//! Captures of closures and `async` blocks.

use super::{Hold, Scope, Ty, Use};

/// What code that captures locals may do with them.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(in crate::generate) enum Capture {
    /// A closure or a guard reads them.
    #[default]
    Read,
    /// An `async` block borrows them, perhaps to change them.
    Borrow,
    /// An `async move` block has copies, or takes them.
    Move,
}

/// What is around code that captures. See [`Scope::begin_capture`].
#[derive(Debug)]
pub(in crate::generate) struct Outside {
    captured: usize,
    capture: Capture,
    movable_from: usize,
    touched: Vec<(usize, Use)>,
}

impl Scope {
    /// Begins an `async` block or a closure. Returns what [`Scope::end_capture`] needs.
    pub(in crate::generate) fn begin_capture(&mut self, capture: Capture) -> Outside {
        self.depth += 1;
        let around = if self.capture == Capture::Move { self.captured } else { 0 };
        let inside = self.movable_from.max(around);
        Outside {
            movable_from: std::mem::replace(&mut self.movable_from, inside),
            captured: std::mem::replace(&mut self.captured, self.vars.len()),
            capture: std::mem::replace(&mut self.capture, capture),
            touched: std::mem::take(&mut self.touched),
        }
    }

    /// Ends it. What it uses is kept for as long as the statement lasts.
    pub(in crate::generate) fn end_capture(&mut self, outside: Outside) {
        self.depth -= 1;
        let touched = std::mem::replace(&mut self.touched, outside.touched);
        let capture = std::mem::replace(&mut self.capture, outside.capture);
        self.captured = outside.captured;
        self.movable_from = outside.movable_from;
        for (index, usage) in touched.iter().copied() {
            // Who uses the whole, too, captures the whole.
            let whole = self.vars[index].part_of.unwrap_or(index);
            let index =
                if touched.iter().any(|(other, _)| *other == whole) { whole } else { index };
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
}
