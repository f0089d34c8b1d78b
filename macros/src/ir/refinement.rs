//! Changes that the analysis of the graph requires in a second lowering.

use crate::collections::sets::Set;
use syn::Ident;

/// Empty for the first lowering.
#[derive(Debug, Default)]
pub(crate) struct Refinement {
    /// The locals that patterns take parts of.
    pub(crate) destructured: Set<Ident>,
    /// The locals of which a part is moved out before another value gets the rest.
    pub(crate) partially_moved: Set<Ident>,
}
