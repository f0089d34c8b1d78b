//! What `try_join!` waits for.

/// What an operation or branch of `try_join!` gives.
#[diagnostic::on_unimplemented(
    message = "`try_join!` waits for what may fail, and this gives `{Self}`",
    label = "this gives no `Result`",
    note = "wait with `join!` if nothing fails; beside others that may, wrap it: `async {{ Ok(this.await) }}`"
)]
pub trait MayFail {
    /// What it gives unless it fails.
    type Value;
    /// What it fails with.
    type Error;

    /// The same as a plain `Result`.
    ///
    /// # Errors
    /// The error, if it is one.
    fn into_result(self) -> Result<Self::Value, Self::Error>;
}

#[diagnostic::do_not_recommend]
impl<T, E> MayFail for Result<T, E> {
    type Value = T;
    type Error = E;

    fn into_result(self) -> Self {
        self
    }
}
