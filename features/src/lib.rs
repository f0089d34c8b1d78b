//! Nothing of its own: see `Cargo.toml` for what this crate is for.
