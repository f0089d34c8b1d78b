//! Values that are, or contain, string literals.
//!
//! For some values, such as a field of a constant or the result of a function, only the type shows whether they are
//! `&'static str`. Their tokens support both cases, and [`Held`](super::Held) selects one. A value with literals
//! among its parts is handled part by part.

use std::collections::VecDeque;
use std::marker::PhantomData;

use serde::Serialize;

use super::iteration::{Items, load_items_by, save_items};
use super::local::{drop_saved, save};
use super::texts::kept;
use super::{Borrowed, Durable, Local, Whole, local};
use crate::codec::{self, CodecError, next_value};
use crate::machine::values::{Coding, SavedKind};

/// How to save values that may be `&'static str`.
#[diagnostic::on_unimplemented(
    message = "a value of type `{T}` cannot be held across an await",
    label = "this value is needed after an await, and `{T}` cannot be saved",
    note = "a workflow's locals are saved at every await, so their types must implement \
            `serde::Serialize` and `serde::de::DeserializeOwned`: derive both for a type of your own",
    note = "bind a text in it to its own variable, or make it a `String` with `.to_owned()`",
    note = "rule `saved_locals`"
)]
pub trait Holds<T: 'static> {
    /// Their encoding.
    const CODING: &'static Coding<T>;
}

#[diagnostic::do_not_recommend]
impl<T: Durable + 'static> Holds<T> for Whole {
    const CODING: &'static Coding<T> = local::<T>().coding;
}

#[diagnostic::do_not_recommend]
impl<T: Lasting> Holds<T> for Borrowed {
    const CODING: &'static Coding<T> = &Coding {
        save: save::<T>,
        load: |saved| next_value::<T::Read>(saved).map(T::kept),
        kind: SavedKind::of::<T, T::Read>(drop_saved::<T::Read>),
    };
}

/// One or several `&'static str`.
pub trait Lasting: Serialize + 'static {
    /// The decoded form.
    type Read: Durable;

    /// The value made of the texts that the process keeps.
    fn kept(read: Self::Read) -> Self;
}

impl Lasting for &'static str {
    type Read = String;

    fn kept(read: String) -> Self {
        kept(&read)
    }
}

impl<T: Lasting> Lasting for Option<T> {
    type Read = Option<T::Read>;

    fn kept(read: Self::Read) -> Self {
        read.map(T::kept)
    }
}

impl<T: Lasting> Lasting for Vec<T> {
    type Read = Vec<T::Read>;

    fn kept(read: Self::Read) -> Self {
        read.into_iter().map(T::kept).collect()
    }
}

impl<T: Lasting> Lasting for VecDeque<T> {
    type Read = Vec<T::Read>;

    fn kept(read: Self::Read) -> Self {
        read.into_iter().map(T::kept).collect()
    }
}

impl<T: Durable + 'static> Lasting for Result<T, &'static str> {
    type Read = Result<T, String>;

    fn kept(read: Self::Read) -> Self {
        read.map_err(|text| kept(&text))
    }
}

impl<T: Durable + 'static> Lasting for (&'static str, T) {
    type Read = (String, T);

    fn kept(read: Self::Read) -> Self {
        (kept(&read.0), read.1)
    }
}

/// A part is a literal.
#[derive(Clone, Copy, Debug)]
pub struct Literal;

/// The items of a list or an `Option` have this marker.
#[derive(Clone, Copy, Debug)]
pub struct Each<H>(PhantomData<H>);

impl<H> Each<H> {
    /// Takes the marker of the items.
    pub const fn is(_: &H) -> Self {
        Self(PhantomData)
    }
}

/// How to save a part of a value with literals.
#[diagnostic::on_unimplemented(
    message = "a value of type `{T}` cannot be held across an await",
    label = "this value is needed after an await, and the `{T}` in it cannot be saved",
    note = "values next to a literal must implement `serde::Serialize` and `serde::de::DeserializeOwned`; make a \
            borrowed text a `String` with `.to_owned()`",
    note = "rule `saved_locals`"
)]
pub trait HoldsPart<T> {
    /// The decoded form.
    type Read: Durable;

    /// The value, with the texts that the process keeps.
    fn kept(read: Self::Read) -> T;
}

#[diagnostic::do_not_recommend]
impl<T: Durable> HoldsPart<T> for Whole {
    type Read = T;

    fn kept(read: T) -> T {
        read
    }
}

#[diagnostic::do_not_recommend]
impl HoldsPart<&'static str> for Literal {
    type Read = String;

    fn kept(read: String) -> &'static str {
        kept(&read)
    }
}

macro_rules! each {
    ($([$($size:tt)*] $list:ty = |$read:ident: $from:ty| $kept:expr;)*) => {$(
        #[diagnostic::do_not_recommend]
        impl<T, H: HoldsPart<T>, $($size)*> HoldsPart<$list> for Each<H>
        where
            $from: Durable,
        {
            type Read = $from;

            fn kept($read: Self::Read) -> $list {
                $kept
            }
        }

        #[diagnostic::do_not_recommend]
        impl<T: 'static, H: HoldsPart<T> + 'static, $($size)*> Holds<$list> for Each<H>
        where
            $list: Serialize,
            $from: Durable,
        {
            const CODING: &'static Coding<$list> = by_parts::<_, Self>();
        }
    )*};
}

each! {
    [] Option<T> = |read: Option<H::Read>| read.map(H::kept);
    [] Vec<T> = |read: Vec<H::Read>| read.into_iter().map(H::kept).collect();
    [] VecDeque<T> = |read: Vec<H::Read>| read.into_iter().map(H::kept).collect();
    [const N: usize] [T; N] = |read: [H::Read; N]| read.map(H::kept);
}

#[diagnostic::do_not_recommend]
impl<T: Serialize + 'static, H: HoldsPart<T> + 'static> Holds<Items<T>> for Each<H> {
    const CODING: &'static Coding<Items<T>> = &Coding {
        save: save_items::<T>,
        load: |saved| load_items_by(saved, first::<T, H>),
        kind: SavedKind::of::<Items<T>, Vec<H::Read>>(drop_saved::<Vec<H::Read>>),
    };
}

macro_rules! tuples {
    ($([$($part:ident $held:ident $index:tt)*])*) => {$(
        #[diagnostic::do_not_recommend]
        impl<$($part, $held: HoldsPart<$part>),*> HoldsPart<($($part,)*)> for ($($held,)*) {
            type Read = ($($held::Read,)*);

            fn kept(read: Self::Read) -> ($($part,)*) {
                ($($held::kept(read.$index),)*)
            }
        }

        #[diagnostic::do_not_recommend]
        impl<$($part: Serialize + 'static, $held: HoldsPart<$part> + 'static),*> Holds<($($part,)*)>
            for ($($held,)*)
        {
            const CODING: &'static Coding<($($part,)*)> = by_parts::<_, Self>();
        }
    )*};
}

tuples! {
    [A HA 0]
    [A HA 0 B HB 1]
    [A HA 0 B HB 1 C HC 2]
    [A HA 0 B HB 1 C HC 2 D HD 3]
    [A HA 0 B HB 1 C HC 2 D HD 3 E HE 4]
    [A HA 0 B HB 1 C HC 2 D HD 3 E HE 4 F HF 5]
}

const fn by_parts<T: Serialize + 'static, H: HoldsPart<T>>() -> &'static Coding<T> {
    const {
        &Coding {
            save: save::<T>,
            load: |saved| next_value::<H::Read>(saved).map(H::kept),
            kind: SavedKind::of::<T, H::Read>(drop_saved::<H::Read>),
        }
    }
}

fn first<T, H: HoldsPart<T>>(bytes: &[u8]) -> Result<(T, usize), CodecError> {
    let (item, length) = codec::decode_first::<H::Read>(bytes)?;
    Ok((H::kept(item), length))
}

/// The marker of a token, which rustc infers from the type.
#[derive(Debug)]
pub struct Told<H>(PhantomData<H>);

impl<H> Told<H> {
    /// Takes the marker of the token.
    pub const fn is(&self, _: &H) {}
}

/// Creates the token of a value that may be or contain a `&'static str`; its type decides later.
pub const fn lasting<T, H: Holds<T>>() -> (Local<T>, Told<H>) {
    (Local { coding: H::CODING }, Told(PhantomData))
}
