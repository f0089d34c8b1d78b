//! What `docs/limits.md` and the `help:` of each rule say to write instead.

mod awaits;
mod borrows;
mod determinism;
mod parts_and_operands;
mod saved_locals;
mod signatures;
