//! The workloads of the killed programs, and their expected results.
//!
//! The program (`main.rs`) starts a fixed set of runs, or finds them again, and drives them to their end. Its
//! activities keep a ledger: a file to which every attempt appends a line when it begins and one when it has ended.
//! Lines survive SIGKILL, because they are in the kernel's buffers. The tests kill the program, start it again until it
//! finishes, and compare ledger and results with what a program that never died would have written.
//!
//! A bookkeeper (`bin/piton-bookkeeper.rs`) writes into a table of the same database, in activities
//! with a transaction, and sends letters at most once.
//!
//! A diver (`bin/piton-diver.rs`) drives a run whose step kills the process, beside runs without faults.
//!
//! An exchange (`exchange.rs`) consists of runs that send each other notes. A program (`bin/piton-exchange.rs`)
//! drives it, or several workers.
//!
//! A travel desk (`bin/piton-travel-desk.rs`) books trips and compensates the bookings of trips that fail.
//!
//! An order desk (`bin/piton-order-desk.rs`) fills orders by children; a cashier (`bin/piton-cashier.rs`) completes their
//! promises from another process.
//!
//! A counter (`bin/piton-counter.rs`) drives runs that count: children, continued runs, updates, and paused runs.
//!
//! A fleet (`tests/fleet/`) is several workers (`bin/piton-fleet-worker.rs`) on one Postgres, whose triggers record
//! their writes.

pub mod at_once;
pub mod bookkeeper;
pub mod books;
pub mod clockwork;
pub mod consequences;
pub mod counts;
pub mod dive;
pub mod environment;
pub mod errand;
pub mod exchange;
pub mod gate;
pub mod ledger;
pub mod march;
pub mod naps;
pub mod notes;
pub mod orders;
pub mod program;
pub mod progress;
pub mod random;
pub mod relay;
pub mod trips;
pub mod workload;
