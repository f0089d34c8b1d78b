//! How the locals of a step come from the state, and from one part of the step to another.
//!
//! All locals of a scope are read with one `?`: a `?` for each would take rustc three times as long
//! (300 awaits with 8 locals).

use bytes::Bytes;

use super::{Halt, Local, LocalsReader};

/// Where a local is while control goes from one part of a step to another.
#[derive(Debug, Default)]
pub enum Slot<T> {
    /// It is not on the way.
    #[default]
    Empty,
    /// It has been made or read in this step.
    Value(T),
    /// It has not been touched in this step.
    Saved(Bytes),
}

impl<T> Slot<T> {
    /// Takes a value out that has been put in as one.
    pub fn take(&mut self) -> T {
        match std::mem::replace(self, Self::Empty) {
            Self::Value(value) => value,
            _ => Self::must_be_filled(),
        }
    }

    /// What has been handed on only to be dropped.
    pub fn carried(&mut self) -> Option<T> {
        match std::mem::replace(self, Self::Empty) {
            Self::Value(value) => Some(value),
            _ => None,
        }
    }

    /// Hands on what has been.
    pub fn of(carried: Option<T>) -> Self {
        carried.map_or(Self::Empty, Self::Value)
    }

    pub(super) fn must_be_filled() -> ! {
        panic!("whoever goes to a part of a step fills its slots")
    }
}

/// The token of a local, or a tuple of such, each of which may be a tuple again.
pub trait Load {
    /// The value, or the tuple of values.
    type Output;

    /// Reads what comes next.
    ///
    /// # Errors
    /// [`StepError::Decode`](super::StepError::Decode) if the bytes are not such values.
    fn load_next(self, locals: &mut LocalsReader<'_>) -> Result<Self::Output, Halt>;
}

impl<T> Load for &Local<T> {
    type Output = T;

    fn load_next(self, locals: &mut LocalsReader<'_>) -> Result<T, Halt> {
        self.load(locals)
    }
}

macro_rules! tuples {
    ($($name:ident)*) => { tuples!(@ [] $($name)*); };
    (@ [$($name:ident)*] $next:ident $($rest:ident)*) => {
        tuples!(@ [$($name)* $next] $($rest)*);
        impl<$($name: Load,)* $next: Load> Load for ($($name,)* $next,) {
            type Output = ($($name::Output,)* $next::Output,);

            #[allow(non_snake_case)]
            fn load_next(self, locals: &mut LocalsReader<'_>) -> Result<Self::Output, Halt> {
                let ($($name,)* $next,) = self;
                Ok(($($name.load_next(locals)?,)* $next.load_next(locals)?,))
            }
        }
    };
    (@ [$($name:ident)*]) => {};
}

tuples!(A B C D E F G H I J K L);
