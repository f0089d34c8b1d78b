//! The marker required by `#[workflow(strict)]`.

/// The type of the name of a function that workflows may call: `#[workflow]`, `#[activity]` and
/// `#[deterministic]` implement it.
#[diagnostic::on_unimplemented(
    message = "a strict workflow calls `{Self}`, which is not known to be deterministic",
    label = "not marked `#[deterministic]`",
    note = "put `#[deterministic]` on the function, or call it in an activity",
    note = "rule `strict`"
)]
pub trait Checked {
    /// Can be named if the function is checked.
    const CHECKED: () = ();
}
