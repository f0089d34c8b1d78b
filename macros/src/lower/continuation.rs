//! The continuation of the statement being lowered: the statements after it, in its block and in the enclosing blocks.

use syn::{Block, Ident, Local, Stmt};

use crate::ir::usage::{Place, Usage};
use crate::ir::{LocalId, Locals};
use crate::syntax::mentions::is_named;
use crate::syntax::patterns::bindings;
use crate::syntax::suspend;

/// The remaining statements of each open block, in reverse order, so that the next one is popped.
#[derive(Debug, Default)]
pub(crate) struct Continuation {
    blocks: Vec<Vec<Stmt>>,
}

impl Continuation {
    pub(crate) fn enter(&mut self, block: Block) {
        self.blocks.push(block.stmts.into_iter().rev().collect());
    }

    pub(crate) fn leave(&mut self) {
        self.blocks.pop();
    }

    /// Pops the next statement of the innermost block.
    pub(crate) fn next(&mut self) -> Option<Stmt> {
        self.blocks.last_mut()?.pop()
    }

    /// The remaining statements of the innermost block, in source order.
    fn of_block(&self) -> impl Iterator<Item = &Stmt> {
        self.blocks.last().into_iter().flat_map(|block| block.iter().rev())
    }

    /// Whether the innermost block has no remaining statements.
    pub(crate) fn is_over(&self) -> bool {
        self.of_block().next().is_none()
    }

    /// Whether a remaining statement of the innermost block awaits.
    pub(crate) fn awaits(&self) -> bool {
        self.of_block().any(suspend::stmt)
    }

    /// Whether a remaining statement of any open block names the variable.
    pub(crate) fn names(&self, ident: &Ident) -> bool {
        self.blocks.iter().flatten().any(|stmt| is_named(ident, stmt))
    }

    /// Whether the local is read as a whole before it is assigned.
    pub(crate) fn reads(&self, locals: &Locals, local: LocalId) -> bool {
        let whole = Place::whole(local);
        for stmt in self.blocks.iter().rev().flat_map(|block| block.iter().rev()) {
            let usage = Usage::of_stmt(locals, stmt);
            if usage.reads.contains(&whole) {
                return true;
            }
            if usage.mentions.contains(&local) || usage.assigned.contains(&local) {
                return false;
            }
        }
        false
    }

    /// Whether a binding of `local` is named after an await of the innermost block, or a binding that a later `let`
    /// derives from it.
    pub(crate) fn holds(&self, local: &Local) -> bool {
        let mut bound = bindings(&local.pat);
        let mut is_behind = false;
        for stmt in self.of_block() {
            is_behind |= suspend::stmt(stmt);
            if !bound.iter().any(|ident| is_named(ident, stmt)) {
                continue;
            }
            if is_behind {
                return true;
            }
            if let Stmt::Local(local) = stmt {
                bound.extend(bindings(&local.pat));
            }
        }
        false
    }
}
