//! One process on a SQLite file: it is killed, its disk fails, and it is requested to end.

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
