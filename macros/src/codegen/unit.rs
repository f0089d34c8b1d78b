//! The choice of the codegen unit of a step function.

use proc_macro2::Ident;
use quote::format_ident;

/// How many there are in `piton::__private`.
const UNITS: u32 = 4;

/// The type that has the step function of the workflow with this name.
///
/// What is in one module rustc gives LLVM as one unit, and a method belongs to the module of its `Self` type. With types
/// of a few modules of piton for that, the step functions of a crate are as many units: they are compiled side by side,
/// and after a change only those of one.
pub(super) fn of(workflow: &str) -> Ident {
    // The same in every build. FNV-1a, as for definitions.
    let hash = workflow
        .bytes()
        .fold(0x811c_9dc5_u32, |hash, byte| (hash ^ u32::from(byte)).wrapping_mul(0x0100_0193));
    // Its lowest bits alone tell similar names badly apart.
    format_ident!("Unit{}", (hash ^ hash >> 16) % UNITS)
}
