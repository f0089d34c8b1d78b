//! The choice of the codegen unit of a step function.

use proc_macro2::Ident;
use quote::format_ident;

/// How many there are in `piton::__private`.
const UNITS: u32 = 4;

/// The type that has the step function of the workflow with this name.
///
/// rustc hands each module to LLVM as a unit, and a method belongs to the module of its `Self` type. These types of
/// piton are in a few modules, so the step functions of a crate are distributed over a few units: they are compiled in
/// parallel, and a change recompiles only one unit.
pub(super) fn of(workflow: &str) -> Ident {
    // The same in every build. FNV-1a, as for definitions.
    let hash = workflow
        .bytes()
        .fold(0x811c_9dc5_u32, |hash, byte| (hash ^ u32::from(byte)).wrapping_mul(0x0100_0193));
    // The lowest bits alone hardly differ for similar names.
    format_ident!("Unit{}", (hash ^ hash >> 16) % UNITS)
}
