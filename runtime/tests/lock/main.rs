//! Released definitions and the current code: the lock file, former names, versions.

#![allow(unreachable_pub, clippy::unwrap_used)]

mod build;
mod check;
mod file;
mod migrate;
mod versions;
