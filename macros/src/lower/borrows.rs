//! What is known of the locals when an expression is looked at: whether it borrows, what from, and how the borrow is made
//! again. Nothing here emits a statement. The methods are in the files of `rematerialize` and `desugar` that need them.

use syn::Ident;

use crate::ir::Locals;
use crate::lower::Lower;

/// The locals, as far as they have been declared.
#[derive(Clone, Copy)]
pub(crate) struct Borrows<'a> {
    pub(crate) locals: &'a Locals,
    /// What the function calls its context.
    pub(crate) context: Option<&'a Ident>,
}

impl Lower<'_> {
    /// What the locals borrow by now.
    pub(crate) fn borrows(&self) -> Borrows<'_> {
        Borrows { locals: &self.locals, context: self.context.as_ref() }
    }
}
