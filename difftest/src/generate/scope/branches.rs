//! What code that may run or not may do with locals that show their drop.
//!
//! Where nothing is awaited, the machine does not know at run time what such code has done. What it drops
//! early then is said in `docs/held-values.md`; programs that show it are not written.

use super::{Mark, Scope, Use};

/// What is around a branch. See [`Scope::begin_branch`].
#[derive(Clone, Copy, Debug)]
pub(in crate::generate) struct Around {
    branches: usize,
    stays_below: usize,
}

impl Scope {
    /// Begins code that may run or not, in an expression if that has begun at the mark.
    pub(in crate::generate) fn begin_branch(&mut self, expression: Option<Mark>) -> Around {
        let around = Around { branches: self.branches, stays_below: self.stays_below };
        self.branches += 1;
        self.stays_below = expression.map_or(self.stays_below, |mark| mark.vars);
        around
    }

    pub(in crate::generate) fn end_branch(&mut self, around: Around) {
        self.branches = around.branches;
        self.stays_below = around.stays_below;
    }

    /// Begins a branch that awaits what decides on it.
    pub(in crate::generate) fn begin_awaited(&mut self) -> Around {
        let around = self.begin_branch(None);
        self.stays_below = 0;
        around
    }

    /// What shows its drop, was declared between the marks, and changed in a branch. If nothing reads it
    /// after that, and nothing is awaited, it goes early.
    pub(in crate::generate) fn changed_in_branches(&self, from: Mark, to: Mark) -> Vec<String> {
        let all = from.vars..to.vars;
        let changed = all.filter(|index| self.vars[*index].changed_in_branch);
        let readable = changed.filter(|index| {
            let ty = self.vars[*index].ty;
            ty.is_noisy() && self.is_usable(*index, ty, Use::Read)
        });
        readable.map(|index| self.vars[index].name.clone()).collect()
    }

    /// Has the last local be read before its scope ends, as if a branch had changed it: nothing else reads it,
    /// perhaps, and how its value is made does not show whether that borrows.
    pub(in crate::generate) fn read_last(&mut self) {
        if let Some(var) = self.vars.iter_mut().rfind(|var| var.part_of.is_none()) {
            var.changed_in_branch = true;
        }
    }

    /// Whether what is to be changed now must be read before that, because a branch has changed it.
    pub(in crate::generate) fn is_read_before(&self, index: usize) -> bool {
        let whole = self.vars[index].part_of.unwrap_or(index);
        self.vars[index].ty.is_noisy() && self.vars[whole].changed_before
    }

    /// Notes what is done to a local, if that is in a branch.
    pub(super) fn note_change(&mut self, index: usize, usage: Use) {
        let whole = self.vars[index].part_of.unwrap_or(index);
        let var = &mut self.vars[whole];
        if matches!(usage, Use::Read | Use::Move) {
            return;
        }
        var.changed_before = var.changed_in_branch;
        var.changed_in_branch |= self.branches > var.branches;
    }
}
