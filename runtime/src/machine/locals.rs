//! How the locals of a step come from the state, and from one part of the step to another.
//!
//! All locals of a scope are read at once: an early return for each would take rustc three times as
//! long (300 awaits with 8 locals). Why one cannot be read is noted in what is parked, so that what
//! comes back is no larger than the locals themselves.

use bytes::Bytes;

use super::frame::{damaged, next_entry};
use super::{Local, Parked, StepError};

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

// They are called, as what reads and writes locals: see `durable`.
impl<T> Slot<T> {
    /// Puts a value in. An assignment would be code to drop what was there, on two ways, in each
    /// place.
    #[inline(never)]
    pub fn fill(&mut self, value: T) {
        *self = Self::Value(value);
    }

    /// Takes a value out that has been put in as one.
    #[inline(never)]
    pub fn take(&mut self) -> T {
        match std::mem::replace(self, Self::Empty) {
            Self::Value(value) => value,
            _ => Self::must_be_filled(),
        }
    }

    /// What has been handed on only to be dropped.
    #[inline(never)]
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

    #[cold]
    #[inline(never)]
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
    /// Why the step cannot be made.
    pub(super) failed: &'a mut Option<StepError>,
}

impl<'a> LocalsReader<'a> {
    /// The bytes of the next local, if it is there.
    #[inline(never)]
    fn next(&mut self) -> Option<&'a [u8]> {
        match self.seek() {
            Ok(saved) => Some(saved),
            Err(error) => {
                self.failed.get_or_insert(error);
                None
            }
        }
    }

    fn seek(&mut self) -> Result<&'a [u8], StepError> {
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
    /// Reads the locals at these positions. If the bytes are not such values, [`Parked::leave`] says
    /// so.
    pub fn load<L: Load>(&mut self, tokens: L, positions: &[usize]) -> Option<L::Output> {
        tokens.load_next(&mut self.locals_at(positions))
    }

    pub(super) fn locals_at<'a>(&'a mut self, positions: &'a [usize]) -> LocalsReader<'a> {
        let rest = &self.frame[self.locals..];
        LocalsReader { rest, passed: 0, positions, failed: &mut self.next.failed }
    }

    /// Puts the local at `position` into its slot, as it is. That it is there has been seen when
    /// the frame was taken apart.
    #[inline(never)]
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
    fn load_next(self, locals: &mut LocalsReader<'_>) -> Option<Self::Output>;
}

impl<T> Load for &Local<T> {
    type Output = T;

    fn load_next(self, locals: &mut LocalsReader<'_>) -> Option<T> {
        match locals.next() {
            Some(saved) => self.read(saved, locals.failed),
            None => None,
        }
    }
}

macro_rules! tuples {
    ($($name:ident)*) => { tuples!(@ [] $($name)*); };
    (@ [$($name:ident)*] $next:ident $($rest:ident)*) => {
        tuples!(@ [$($name)* $next] $($rest)*);
        impl<$($name: Load,)* $next: Load> Load for ($($name,)* $next,) {
            type Output = ($($name::Output,)* $next::Output,);

            // `?` would be two more functions for each type to compile.
            #[allow(non_snake_case, clippy::question_mark)]
            fn load_next(self, locals: &mut LocalsReader<'_>) -> Option<Self::Output> {
                let ($($name,)* $next,) = self;
                $(let Some($name) = $name.load_next(locals) else { return None };)*
                let Some($next) = $next.load_next(locals) else { return None };
                Some(($($name,)* $next,))
            }
        }
    };
    (@ [$($name:ident)*]) => {};
}

tuples!(A B C D E F G H I J K L);
