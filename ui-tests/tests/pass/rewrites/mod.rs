//! What `docs/limits.md` and the `help:` of each rule say to write instead.

mod awaits;
mod borrows;
mod determinism;
mod saved_locals;
mod signatures;
