//! Changes that the analysis of the graph requires in a second lowering.

use super::Field;
use super::PointId;
use crate::collections::sets::Set;
use syn::Ident;

/// Empty for the first lowering.
#[derive(Debug, Default)]
pub(crate) struct Refinement {
    /// The parts of locals that branches take over.
    pub(crate) captured: Vec<CapturedPart>,
    /// The locals that patterns take parts of.
    pub(crate) destructured: Set<Ident>,
    /// The locals of which a part is moved out before another value gets the rest.
    pub(crate) partially_moved: Set<Ident>,
}

/// A part that a branch takes over.
#[derive(Debug)]
pub(crate) struct CapturedPart {
    /// The branch.
    pub(crate) point: PointId,
    pub(crate) index: usize,
    /// The part.
    pub(crate) local: Ident,
    pub(crate) fields: Vec<Field>,
}
