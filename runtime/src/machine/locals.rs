//! How the locals of a step come from the state, and from one part of the step to another.
//!
//! All locals of a scope are read at once: an early return for each would take rustc three times as
//! long (300 awaits with 8 locals).

use bytes::Bytes;

use super::frame::{damaged, next_entry};
use super::{Halt, Local, Parked, StepError};

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
    /// Puts a value in. An assignment would be code to drop what was there, on two ways, in each
    /// place.
    pub fn fill(&mut self, value: T) {
        *self = Self::Value(value);
    }

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

/// Reads some of the locals of a state, in order.
#[derive(Debug)]
pub struct LocalsReader<'a> {
    rest: &'a [u8],
    passed: usize,
    positions: &'a [usize],
}

impl<'a> LocalsReader<'a> {
    fn next(&mut self) -> Result<&'a [u8], StepError> {
        let Some((position, later)) = self.positions.split_first() else {
            return Err(damaged("a local is asked for that is not there"));
        };
        self.positions = later;
        while self.passed < *position {
            next_entry(&mut self.rest)?;
            self.passed += 1;
        }
        self.passed += 1;
        next_entry(&mut self.rest)
    }
}

impl Parked {
    /// Reads the locals at these positions.
    ///
    /// # Errors
    /// [`StepError::Decode`] if the bytes are not such values.
    pub fn load<L: Load>(&self, tokens: L, positions: &[usize]) -> Result<L::Output, Halt> {
        let rest = &self.frame[self.locals..];
        tokens.load_next(&mut LocalsReader { rest, passed: 0, positions })
    }

    /// Puts the local at `position` into its slot, as it is. That it is there has been seen when
    /// the frame was taken apart.
    pub fn pass<T>(&self, position: usize, slot: &mut Slot<T>) {
        if let Ok(saved) = self.entry(position) {
            *slot = Slot::Saved(self.frame.slice_ref(saved));
        }
    }

    /// The bytes of the local at `position`.
    pub(super) fn entry(&self, position: usize) -> Result<&[u8], StepError> {
        let mut rest = &self.frame[self.locals..];
        for _ in 0..position {
            next_entry(&mut rest)?;
        }
        next_entry(&mut rest)
    }
}

/// The token of a local, or a tuple of such, each of which may be a tuple again.
pub trait Load {
    /// The value, or the tuple of values.
    type Output;

    /// Reads what comes next. [`Parked::load`] is how to call it.
    ///
    /// # Errors
    /// [`StepError::Decode`](super::StepError::Decode) if the bytes are not such values.
    fn load_next(self, locals: &mut LocalsReader<'_>) -> Result<Self::Output, Halt>;
}

impl<T> Load for &Local<T> {
    type Output = T;

    fn load_next(self, locals: &mut LocalsReader<'_>) -> Result<T, Halt> {
        self.read(locals.next())
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
