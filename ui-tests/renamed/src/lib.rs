//! A crate that re-exports piton as one of its parts, as a framework would.

/// What it is made of.
pub mod parts {
    pub use engine as durable;
}
