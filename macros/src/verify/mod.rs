//! Errors that only the layout shows.
//!
//! Input: the graph, its liveness and the layout. Output: diagnostics, for what is saved or computed again although that
//! could give another value than the source does.
//!
//! ```text
//! let found = map.get(&key); key.push('x'); f().await; use(found)      error: `key` changes before `found` is looked up again
//! ```

pub(crate) mod lookups;
pub(crate) mod pointers;
