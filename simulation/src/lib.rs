//! The whole engine on one thread and on virtual time: several simulated processes, one in-memory
//! database, faults at every call between them, and a model of what must hold.
//!
//! Everything is drawn from a seed, and a seed always gives the same events. [`simulate`] plays one
//! seed: workers are started, paused, killed and shut down, and clients start runs of generated
//! programs, send them signals, cancel and terminate them. Then the faults end, and what is still
//! open must close. Violations are found by
//! - the `oracle`, which sees every row that is written, every attempt that begins and every
//!   timer that fires;
//! - the programs: the result of a run must be one that a plain execution could give;
//! - the end: no run may be left open.
//!
//! A million runs of workflows, and one seed again with everything that happened in it:
//! ```sh
//! cargo run --release -p piton-simulation -- run --runs 1000000
//! cargo run --release -p piton-simulation -- replay 7 --about run-3
//! ```

mod clerks;
mod faults;
mod journal;
pub mod options;
mod oracle;
mod processes;
pub mod program;
mod report;
mod runs;
mod shrink;
mod workflows;
mod world;

pub use faults::Fault;
pub use options::Options;
pub use report::{Report, Totals};
pub use shrink::shrink;
pub use world::simulate;
