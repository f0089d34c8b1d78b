//! The text of an error whatever traits it has.

/// The text of an error that may have a `Display` form, a `Debug` form or none.
/// `(&&ErrorText(error)).piton_text()` takes the first of the traits below that fits.
#[derive(Debug)]
pub struct ErrorText<'a, E>(pub &'a E);

/// See [`ErrorText`].
pub trait ByDisplay {
    /// The text.
    fn piton_text(&self) -> String;
}

/// See [`ErrorText`].
pub trait ByDebug {
    /// The text.
    fn piton_text(&self) -> String;
}

/// See [`ErrorText`].
pub trait ByType {
    /// The text.
    fn piton_text(&self) -> String;
}

impl<E: std::fmt::Display> ByDisplay for &ErrorText<'_, E> {
    fn piton_text(&self) -> String {
        displayed(self.0)
    }
}

/// Apart, because what knows the type of the error is compiled for each.
fn displayed(error: &dyn std::fmt::Display) -> String {
    error.to_string()
}

impl<E: std::fmt::Debug> ByDebug for &&ErrorText<'_, E> {
    fn piton_text(&self) -> String {
        debugged(self.0)
    }
}

/// As [`displayed`].
fn debugged(error: &dyn std::fmt::Debug) -> String {
    format!("{error:?}")
}

impl<E> ByType for ErrorText<'_, E> {
    fn piton_text(&self) -> String {
        std::any::type_name::<E>().to_owned()
    }
}
