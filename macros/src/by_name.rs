//! Maps and sets by name.
//!
//! Each name of a function is looked up many times, and hashing it as the standard library does is most of
//! the work then. Against names that are made to collide a compiler needs no protection.

use rustc_hash::{FxHashMap, FxHashSet};

pub(crate) type NameMap<T> = FxHashMap<String, T>;
pub(crate) type NameSet = FxHashSet<String>;
