//! Errors that only the layout shows.
//!
//! Input: the graph, its liveness and the layout. Output: diagnostics for values that the machine cannot save, and for
//! rematerialized ones that could differ from the source.
//!
//! ```text
//! let found = map.get(&key); key.push('x'); f().await; use(found)      error: `key` changes before `found` is looked up again
//! ```

pub(crate) mod lookups;
pub(crate) mod pointers;
