//! ANF: every suspension point becomes a statement, and evaluation order is explicit.
//!
//! Input: the resolved body. Output: [`Tree`]. Guarantees: no expression in the tree suspends. The value of an
//! operand before an await is in a temporary, unless nothing in between can change it. A statement that does not
//! suspend is unchanged, except for the labels of jumps to loops that are lowered. Assumes unique names
//! (`resolve`).
//!
//! ```text
//! pay(price(id).await, fee(id).await)   →   let __piton_1 = price(id).await;
//!                                           let __piton_2 = fee(id).await;
//!                                           pay(__piton_1, __piton_2)
//! ```

pub(crate) mod conditions;
mod control;
mod early_exits;
mod expr;
pub(crate) mod foreign_macros;
mod operands;
mod receivers;
mod statements;

pub(crate) use self::statements::is_owned;

use syn::{Block, Ident};

use crate::diagnostics::Diagnostics;
use crate::ir::{Body, Locals, Tree};
use crate::lower::continuation::Continuation;
use crate::lower::labels::Jumps;
use crate::lower::points::Points;
use crate::lower::{Dest, Lower, items};
use crate::syntax::fingerprint::Fingerprint;
use crate::values::texts::find as find_texts;

/// Lowers the body to statements.
pub(crate) fn convert(
    context: Option<&Ident>,
    body: &Block,
    mut locals: Locals,
    diagnostics: &Diagnostics,
) -> Tree {
    let shapes = find_texts(body, &mut locals);
    let mut lower = Lower {
        locals,
        shapes,
        points: Points::new(),
        items: Vec::new(),
        source: items::Source::new(body),
        depth: 0,
        temporaries: 0,
        kept_temporaries: 0,
        user: Fingerprint::NONE,
        jumps: Jumps::default(),
        declared: Vec::new(),
        continuation: Continuation::default(),
        out: Vec::new(),
        context: context.cloned(),
        diagnostics,
    };
    lower.block(body.clone(), Dest::Return);
    let Lower { locals, points, items, out, .. } = lower;
    let points = points.named(diagnostics);
    Tree { locals, points, items, body: Body { stmts: out } }
}
