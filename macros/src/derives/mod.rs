//! The derives for types that are sent to runs or describe them: `Signal`, `Update` and `Attributes`.
//!
//! ```text
//! in   #[derive(Signal)] struct Approved { by: String }
//! out  impl ::piton::Signal for Approved { const NAME: &'static str = "Approved"; }
//! ```

pub(crate) mod attributes;
pub(crate) mod sent_type;
pub(crate) mod signal;
pub(crate) mod update;
