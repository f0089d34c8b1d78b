//! One source, two lowerings: proof that `#[workflow]` means what rustc's `async fn` means.
//!
//! A program is a file of ordinary Rust with an entry `#[workflow] async fn program(n: i64)`. It is
//! compiled twice: as a plain `async fn` (the attribute is left out) on a trivial executor, and as
//! a machine that is encoded, dropped and decoded at every suspension. Both are driven by the same
//! [script](script::Script) through the same loop (`drive`), and what can be observed of them
//! must be the same: the result, the operations they start and give up, the order of evaluation
//! (see [`record::note`]) and of drops (see [`record::Noisy`]).
//!
//! [`batch`] turns sources into a crate, builds and runs it; [`generate`] writes programs, and [`mutants`]
//! breaks them, so that rustc's errors can be compared, too. The hand-written ones are in `programs/`, one
//! file each, named by what they exercise.
//!
//! Nothing in here may know what the compiler generates: the machine side uses the public interface
//! of `piton::machine` alone.

pub mod answers;
pub mod batch;
pub mod corpus;
pub(crate) mod drive;
pub mod format;
pub mod generate;
pub mod machine;
pub mod mutants;
pub mod plain;
pub mod record;
pub mod rustc;
pub mod script;

/// What a program may use on either side.
pub mod prelude {
    pub use std::collections::{BTreeMap, BTreeSet, VecDeque};
    pub use std::time::Duration;

    pub use piton::machine::{ActivityError, Cancelled};
    pub use piton::model::{Timestamp, days, hours, minutes, seconds};
    pub use piton::{Error, Result};
    pub use serde::{Deserialize, Serialize};

    pub use crate::answers::{Approve, Bump, Line, Order, ParseFailed, Refused, Shape};
    pub use crate::record::{Noisy, note};
}
