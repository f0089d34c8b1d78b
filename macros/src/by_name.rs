//! Maps and sets by name.
//!
//! Each name of a function is looked up many times, and hashing it as the standard library does is most of
//! the work then. Against names that are made to collide a compiler needs no protection.

use std::collections::{HashMap, HashSet};
use std::hash::{BuildHasherDefault, Hasher};

pub(crate) type NameMap<T> = HashMap<String, T, Hashing>;
pub(crate) type NameSet = HashSet<String, Hashing>;
type Hashing = BuildHasherDefault<Fnv>;

/// The hash function of Fowler, Noll and Vo (FNV-1a).
pub(crate) struct Fnv(u64);

impl Default for Fnv {
    fn default() -> Self {
        Self(0xcbf2_9ce4_8422_2325)
    }
}

impl Hasher for Fnv {
    fn write(&mut self, bytes: &[u8]) {
        for byte in bytes {
            self.0 = (self.0 ^ u64::from(*byte)).wrapping_mul(0x0000_0100_0000_01b3);
        }
    }

    fn finish(&self) -> u64 {
        self.0
    }
}
