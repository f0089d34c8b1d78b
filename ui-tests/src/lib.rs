//! What rustc says of a source, in a form that does not depend on the machine, as the `.stderr` files hold
//! it.
//!
//! It is the form of [trybuild](https://docs.rs/trybuild): paths below the package are relative to it, those
//! of the workspace begin with `$WORKSPACE` and have no line numbers, and the margin is as wide as the
//! numbers that are left need.

mod normal;

pub use normal::Normal;
