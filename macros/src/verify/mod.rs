//! Errors that are found in the results of the passes.
//!
//! Input: the graph, its liveness and the layout. Output: diagnostics for values that the machine cannot save, for
//! rematerialized values that could differ from the source, and for names of states.
//!
//! ```text
//! let found = map.get(&key); key.push('x'); f().await; use(found)      error: `key` changes before `found` is looked up again
//! ```

pub(crate) mod lookups;
pub(crate) mod pointers;
pub(crate) mod repeated_states;
pub(crate) mod saved_parts;
pub(crate) mod unexposed;
