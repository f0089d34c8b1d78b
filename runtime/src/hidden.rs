//! Values whose types are hidden from other crates, to keep their debug information small.
//!
//! rustc puts a description of every type that a crate's functions reach, through fields and references
//! and whatever their visibility, into the debug information of that crate. What generated code is given
//! leads to half of piton, and describing that again took a fifth of the compile time of a crate with one
//! workflow. Behind a trait object the description ends.

/// A `T` behind a trait object.
pub(crate) trait Hidden<T> {
    /// The value. The receiver must be the trait object itself, since its box is a value as well.
    fn reveal(&self) -> &T;

    /// As [`Hidden::reveal`].
    fn reveal_mut(&mut self) -> &mut T;
}

impl<T> Hidden<T> for T {
    fn reveal(&self) -> &T {
        self
    }

    fn reveal_mut(&mut self) -> &mut T {
        self
    }
}
