//! What is made again in several parts of a step, and is one value in the source, is of one type in all of them.
//!
//! Each closure is of a type of its own, so rustc is told by a token of what it takes and gives. What it
//! gives may be of such a type as well, an iterator with a closure in it, and is left out then.

use super::TypeOf;

/// Says of which type a value is.
pub const fn same_type<T>(_: &TypeOf<T>, _: &T) {}

macro_rules! closures {
    ($($takes:ident $calls:ident($($param:ident)*);)*) => {
        $(
            /// Says what a closure takes.
            pub const fn $takes<$($param,)* R>(
                _: &TypeOf<fn($($param),*)>,
                _: &impl FnOnce($($param),*) -> R,
            ) {
            }

            /// Says what a closure takes, and what it gives.
            pub const fn $calls<$($param,)* R>(
                _: &TypeOf<fn($($param),*) -> R>,
                _: &impl FnOnce($($param),*) -> R,
            ) {
            }
        )*
    };
}

closures! {
    takes_0 calls_0();
    takes_1 calls_1(A);
    takes_2 calls_2(A B);
    takes_3 calls_3(A B C);
    takes_4 calls_4(A B C D);
    takes_5 calls_5(A B C D E);
    takes_6 calls_6(A B C D E F);
}
