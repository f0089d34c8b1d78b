//! What was released, and the workflows of today: the lock file, former names, versions.

mod build;
mod check;
mod file;
mod versions;
