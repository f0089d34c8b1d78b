//! A payment gateway and warehouse: the external services of the example, with simulated faults.
//!
//! It is an HTTP service on loopback with one route per operation (`POST /charge`, `/refund`, `/reserve`, `/release`,
//! `/ship`). Every request carries an `Idempotency-Key`; calls and effects are kept in a ledger, a separate SQLite
//! file. It runs in the program of the example, so it dies with it, and its ledger is what remains to check the books
//! against.
//!
//! Invariants:
//! - One key has at most one effect and, once it has an answer, always that answer.
//! - An answer leaves the service only after its effect is on disk.
//! - Which calls are answered badly follows from the call and its attempt, not from chance.
//!
//! This module must not know about piton: it sees keys and amounts, never runs.

mod audit;
mod client;
mod faults;
mod ledger;
mod posting;
mod protocol;
mod service;

pub use audit::{Audit, Effect, EffectKind, StockLevel};
pub use client::{CallError, Gateway};
pub use faults::{Fault, Faults};
pub use ledger::{Ledger, LedgerError};
pub use protocol::{Answer, Call};
pub use service::Service;

#[cfg(test)]
mod tests;
