//! What texts can be keys.

#[cfg(feature = "engine")]
use crate::store::RESERVED_KEYS;

/// Why a text cannot be a workflow id or a dedup key. Trying again does not help.
#[derive(Clone, Copy, Debug, PartialEq, Eq, thiserror::Error)]
#[non_exhaustive]
pub enum KeyError {
    /// As a workflow id it would be one for all runs, as a dedup key one for all messages: most often the
    /// value that it was to be made of is missing.
    #[error("it is empty: use a text that identifies its subject")]
    Empty,
    /// Databases look it up in an index, whose entries are limited.
    #[error("it has {length} bytes; the limit is 1,000: use a shorter text, or a hash of it")]
    TooLong {
        /// Its length in bytes.
        length: usize,
    },
    /// Postgres keeps no text with this character.
    #[error("it contains the character NUL, which databases cannot store: remove it")]
    Nul,
    /// Dedup keys that begin so are piton's own: what tokens of activities say has such keys.
    #[error("it begins with `piton:`, as piton's own keys do: put something else before it")]
    Reserved,
}

impl KeyError {
    /// The most bytes of a key. Postgres has room for 2,704 in an entry of an index.
    const LONGEST: usize = 1_000;

    /// Checks a text that is to be a key.
    pub(crate) fn check(key: &str) -> Result<(), Self> {
        if key.is_empty() {
            return Err(Self::Empty);
        }
        if key.len() > Self::LONGEST {
            return Err(Self::TooLong { length: key.len() });
        }
        if key.contains('\0') { Err(Self::Nul) } else { Ok(()) }
    }

    /// Checks a text that is to be a dedup key.
    #[cfg(feature = "engine")]
    pub(crate) fn check_dedup(key: &str) -> Result<(), Self> {
        Self::check(key)?;
        if key.starts_with(RESERVED_KEYS) { Err(Self::Reserved) } else { Ok(()) }
    }
}
