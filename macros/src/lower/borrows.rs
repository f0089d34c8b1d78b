//! A read-only view of the locals that decides whether an expression borrows, from which place, and which expression
//! rematerializes the borrow. It emits no statements. The methods are in the files of `rematerialize` and `desugar`
//! that need them.

use syn::Ident;

use crate::ir::Locals;
use crate::lower::Lower;

/// The locals declared so far.
#[derive(Clone, Copy)]
pub(crate) struct Borrows<'a> {
    pub(crate) locals: &'a Locals,
    /// The name of the workflow's context parameter.
    pub(crate) context: Option<&'a Ident>,
}

impl Lower<'_> {
    /// The view of the locals declared so far.
    pub(crate) fn borrows(&self) -> Borrows<'_> {
        Borrows { locals: &self.locals, context: self.context.as_ref() }
    }
}
