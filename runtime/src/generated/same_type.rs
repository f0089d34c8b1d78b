//! Makes values that are created again in several parts of a step have one type, like the single value in the source.
//!
//! Each closure expression has its own type, so a token unifies only its parameters and its result. A result that
//! contains a closure, such as an iterator, has a different type in each part and is left out.

use super::TypeOf;

/// Unifies the type of a value with the token's.
pub const fn same_type<T>(_: &TypeOf<T>, _: &T) {}

macro_rules! closures {
    ($($takes:ident $calls:ident($($param:ident)*);)*) => {
        $(
            /// Unifies the parameters of a closure.
            pub const fn $takes<$($param,)* R>(
                _: &TypeOf<fn($($param),*)>,
                _: &impl FnOnce($($param),*) -> R,
            ) {
            }

            /// Unifies the parameters and the result of a closure.
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
