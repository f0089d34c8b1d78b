//! One process on a SQLite file, which is killed, whose disk fails, and which is asked to end.

mod books;
mod counts;
#[cfg(target_os = "linux")]
mod flush;
mod killed;
mod march;
mod notes;
mod orders;
mod shutdown;
mod trips;
