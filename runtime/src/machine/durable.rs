//! The values that can be held across an await.

use serde::Serialize;
use serde::de::DeserializeOwned;

/// A value that can be held across an await: it can be encoded and decoded.
///
/// Implemented for every type that is `Serialize + DeserializeOwned`. Do not implement it yourself.
#[diagnostic::on_unimplemented(
    message = "a value of type `{Self}` cannot be held across an await",
    label = "this value is needed after an await, and `{Self}` cannot be saved",
    note = "a workflow's locals are saved at every await, so their types must implement \
            `serde::Serialize` and `serde::de::DeserializeOwned`",
    note = "derive both for a type of your own; keep a value instead of a reference (`.clone()`), an `enum` instead of a \
            `Box<dyn Trait>`, and a `Vec` instead of an array of more than 32 elements; write a `for` loop or a \
            `VecDeque` instead of an iterator, and a `fn` instead of a closure; await a call where it is made, or \
            several with `join_all(calls).await`; or use the value before the await and make it again after it",
    note = "rule `saved_locals`"
)]
pub trait Durable: Serialize + DeserializeOwned {}

#[diagnostic::do_not_recommend]
impl<T: Serialize + DeserializeOwned> Durable for T {}
