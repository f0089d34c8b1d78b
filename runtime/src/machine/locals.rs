//! The locals of a parked state, written and read in one go.
//!
//! A step function has a suspension point for every await and some locals at each, so what is
//! generated per local decides how long it takes to compile. Writing a local is one call without an
//! outcome, and all locals of a scope are read with one `?`: against a field per local, this takes
//! rustc a fifth of the time (300 awaits with 8 locals).

use bytes::{Bytes, BytesMut};

use super::frame::{read_length, write_length};
use super::{Context, ItemList, Local, Saved, StepError};

/// Locals, encoded one after the other, each with its length.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Locals(pub(super) Bytes);

impl Locals {
    /// Begins to write the locals of a state.
    pub fn write(cx: &Context) -> LocalsWriter<'_> {
        LocalsWriter { cx, bytes: BytesMut::new(), failed: None }
    }

    /// Begins to read them.
    pub fn read(&self) -> LocalsReader {
        LocalsReader(self.0.clone())
    }
}

/// Writes locals. See [`Locals::write`].
#[derive(Debug)]
pub struct LocalsWriter<'cx> {
    cx: &'cx Context,
    bytes: BytesMut,
    failed: Option<StepError>,
}

impl LocalsWriter<'_> {
    pub(super) fn push(&mut self, save: impl FnOnce(&Context) -> Result<Saved, StepError>) {
        match save(self.cx) {
            Ok(saved) => {
                write_length(&mut self.bytes, saved.as_bytes().len() as u64);
                self.bytes.extend_from_slice(saved.as_bytes());
            }
            Err(error) => {
                self.failed.get_or_insert(error);
            }
        }
    }

    /// The locals.
    ///
    /// # Errors
    /// [`StepError::Encode`] if the type of one of them refused.
    pub fn finish(self) -> Result<Locals, StepError> {
        match self.failed {
            Some(error) => Err(error),
            None => Ok(Locals(self.bytes.freeze())),
        }
    }
}

/// Reads locals in the order in which they were written. See [`Locals::read`].
#[derive(Debug)]
pub struct LocalsReader(Bytes);

impl LocalsReader {
    pub(super) fn next(&mut self) -> Result<Saved, StepError> {
        let length = read_length(&mut self.0)?;
        match usize::try_from(length) {
            Ok(length) if length <= self.0.len() => Ok(self.0.split_to(length).into()),
            _ => Err(super::frame::damaged("a local is cut short")),
        }
    }
}

/// The token of a local, or a tuple of such, each of which may be a tuple again.
pub trait Load {
    /// The value, or the tuple of values.
    type Output;

    /// Reads what comes next.
    ///
    /// # Errors
    /// [`StepError::Decode`] if the bytes are not such values.
    fn load_next(self, locals: &mut LocalsReader) -> Result<Self::Output, StepError>;
}

impl<T> Load for Local<T> {
    type Output = T;

    fn load_next(self, locals: &mut LocalsReader) -> Result<T, StepError> {
        self.load(&locals.next()?)
    }
}

impl<T> Load for ItemList<T> {
    type Output = super::Items<T>;

    fn load_next(self, locals: &mut LocalsReader) -> Result<Self::Output, StepError> {
        self.load(&locals.next()?)
    }
}

macro_rules! tuples {
    ($($name:ident)*) => { tuples!(@ [] $($name)*); };
    (@ [$($name:ident)*] $next:ident $($rest:ident)*) => {
        tuples!(@ [$($name)* $next] $($rest)*);
        impl<$($name: Load,)* $next: Load> Load for ($($name,)* $next,) {
            type Output = ($($name::Output,)* $next::Output,);

            #[allow(non_snake_case)]
            fn load_next(self, locals: &mut LocalsReader) -> Result<Self::Output, StepError> {
                let ($($name,)* $next,) = self;
                Ok(($($name.load_next(locals)?,)* $next.load_next(locals)?,))
            }
        }
    };
    (@ [$($name:ident)*]) => {};
}

tuples!(A B C D E F G H I J K L);
