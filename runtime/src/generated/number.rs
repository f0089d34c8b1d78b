//! The targets of compound assignments that are evaluated after an await.

/// The types for which `place += value` is built in, so that the value is evaluated before the place.
#[diagnostic::on_unimplemented(
    message = "a place of type `{Self}` that contains a call cannot be assigned an awaited value with `+=`",
    label = "this call would run after the await; Rust runs it before, except for numbers",
    note = "bind the index or key to a variable first: `let at = …; list[at] += step().await;`",
    note = "rule `unsupported_await`"
)]
pub trait Number {}

macro_rules! numbers {
    ($($number:ty)*) => {$(
        #[diagnostic::do_not_recommend]
        impl Number for $number {}
    )*};
}

numbers! { i8 i16 i32 i64 i128 isize u8 u16 u32 u64 u128 usize f32 f64 bool }

/// The place itself, with the bound on its type.
pub fn number<T: Number>(place: &mut T) -> &mut T {
    place
}
