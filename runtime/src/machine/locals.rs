//! How the locals of a step come from the state, and from one part of the step to another.
//!
//! All locals of a scope are read at once: an early return for each would take rustc three times as
//! long (300 awaits with 8 locals). Why one cannot be read is noted in what is parked, so that what
//! comes back is no larger than the locals themselves.

use std::mem::ManuallyDrop;

use super::frame::{damaged, next_entry};
use super::{Local, Parked, StepError};

/// Where a local is while control goes from one part of a step to another.
///
/// What is put in is taken out again, by the part that is gone to or by the one behind it that needs it. So there is
/// nothing to drop where a step ends; were there, each call in a step would have a second way out, for a panic, on
/// which all slots are dropped, and rustc would take a fifth longer for a step. What a panic leaves in a slot is not
/// dropped at all.
#[derive(Debug, Default)]
pub enum Slot<T> {
    /// It is not on the way.
    #[default]
    Empty,
    /// It has been made or read in this step.
    Value(ManuallyDrop<T>),
    /// It has not been touched in this step, and is at this position of the state before.
    Saved(usize),
}

// They are called, as what reads and writes locals: see `durable`. By their ABI rustc knows that they never panic, so
// that a call needs no second way out for what is alive around it.
#[allow(improper_ctypes_definitions, reason = "nobody calls them from C")]
impl<T> Slot<T> {
    /// Puts a value in. An assignment would be code to drop what was there, on two ways, in each
    /// place.
    #[inline(never)]
    pub extern "C" fn fill(&mut self, value: T) {
        *self = Self::Value(ManuallyDrop::new(value));
    }

    /// Puts in the local at `position` of the state before, as it is.
    #[inline(never)]
    pub extern "C" fn pass(&mut self, position: usize) {
        *self = Self::Saved(position);
    }

    /// Takes a value out that has been put in as one.
    #[inline(never)]
    pub extern "C" fn take(&mut self) -> T {
        match std::mem::replace(self, Self::Empty) {
            Self::Value(value) => ManuallyDrop::into_inner(value),
            _ => Self::must_be_filled(),
        }
    }

    #[cold]
    #[inline(never)]
    pub(super) fn must_be_filled() -> ! {
        panic!("whoever goes to a part of a step fills its slots")
    }
}

/// What is handed on to a branch that begins, or to a part of a step where it is only to be dropped. What nobody takes
/// is dropped where the step ends.
#[derive(Debug, Default)]
pub enum Handed<T> {
    /// Nothing.
    #[default]
    Empty,
    /// What has been made or read in this step.
    Value(T),
}

impl<T> Handed<T> {
    /// See [`Slot::fill`].
    #[inline(never)]
    pub fn fill(&mut self, value: T) {
        *self = Self::Value(value);
    }

    /// Takes what must be there.
    #[inline(never)]
    pub fn take(&mut self) -> T {
        self.carried().unwrap_or_else(|| Slot::<T>::must_be_filled())
    }

    /// Takes what is there.
    #[inline(never)]
    pub fn carried(&mut self) -> Option<T> {
        match std::mem::replace(self, Self::Empty) {
            Self::Value(value) => Some(value),
            Self::Empty => None,
        }
    }

    /// Hands on what has been.
    pub fn of(carried: Option<T>) -> Self {
        carried.map_or(Self::Empty, Self::Value)
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
