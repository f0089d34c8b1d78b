//! Branches that are `async` blocks: machines within the machine.
//!
//! The saved form of such a branch is empty if there is no branch; otherwise it starts with a byte that says what
//! follows: the frame of one of its own states, or its output. Its code is a closure in the step function, which
//! goes from the branch's state to the next.

use std::task::Poll;

use bytes::Bytes;
use serde::{Deserialize, Serialize};

use super::fallible::is_error;
use super::{Context, Halt, Local, MayFail, Parked, StepError};
use crate::machine::branches::{DONE, RUNS, advance};
use crate::machine::frame::damaged;

/// The number of the branch in the waiting state, and its first state.
#[derive(Clone, Copy, Debug)]
pub struct Region {
    index: usize,
    start: u32,
    /// Whether it is shielded from requests to cancel.
    is_shielded: bool,
}

/// The output of a branch that never ends.
#[derive(Debug, Serialize, Deserialize)]
pub enum Never {}

impl Region {
    /// Branch number `index` of a state. Its first state has the number `start`.
    pub fn new(index: usize, start: u32) -> Self {
        Self { index, start, is_shielded: false }
    }

    /// The same branch, shielded from requests to cancel.
    #[must_use]
    pub fn shielded(self) -> Self {
        Self { is_shielded: true, ..self }
    }

    /// Starts or continues the branch as far as possible. Returns its value if it has ended.
    ///
    /// # Errors
    /// That of `step`, and [`StepError::Decode`].
    pub fn poll<T>(
        self,
        begins: bool,
        parked: &mut Parked,
        cx: &Context,
        step: &mut impl FnMut(&mut Parked) -> Result<T, Halt>,
    ) -> Result<Option<T>, Halt> {
        let mut inner = match self.runs(parked)? {
            Some(inner) => inner,
            None if begins => parked.begin(self.start),
            None => return Ok(None),
        };
        // The branch continues when any of its waits ends, independent of the other branches.
        cx.open_waits(false);
        let poll = match self.is_shielded {
            true => cx.shield_all(|| advance(&mut inner, cx, step)),
            false => advance(&mut inner, cx, step),
        };
        cx.close_eager();
        match poll? {
            Poll::Ready(value) => Ok(Some(value)),
            Poll::Pending => {
                let frame = [&[RUNS], &inner.frame()[..]].concat();
                parked.update(self.index, &frame)?;
                Ok(None)
            }
        }
    }

    /// Like [`Region::poll`], but keeps the value until all branches have one. Returns whether there is a value.
    ///
    /// # Errors
    /// Like [`Region::poll`].
    pub fn join<T>(
        self,
        begins: bool,
        value: &Local<T>,
        parked: &mut Parked,
        cx: &Context,
        step: &mut impl FnMut(&mut Parked) -> Result<T, Halt>,
    ) -> Result<bool, Halt> {
        if let Some(given) = self.poll(begins, parked, cx, step)? {
            let mut saved = vec![DONE];
            value.coding.encode(&given, &mut saved)?;
            parked.update(self.index, &saved)?;
        }
        let is_done = parked.operation(self.index)?.first() == Some(&DONE);
        Ok(is_done && !cx.is_giving_up())
    }

    /// Drops the operations that the branch waits for.
    ///
    /// # Errors
    /// Like [`Region::poll`].
    pub fn cancel<T>(
        self,
        parked: &Parked,
        cx: &Context,
        step: &mut impl FnMut(&mut Parked) -> Result<T, Halt>,
    ) -> Result<(), Halt> {
        if let Some(mut inner) = self.runs(parked)? {
            let _: Poll<T> = cx.give_up(|| advance(&mut inner, cx, step))?;
        }
        Ok(())
    }

    /// Like [`Region::cancel`], after another branch has failed. A value of this branch is dropped.
    ///
    /// # Errors
    /// Like [`Region::poll`].
    pub fn lose<T: MayFail>(
        self,
        value: &Local<T>,
        parked: &Parked,
        cx: &Context,
        step: &mut impl FnMut(&mut Parked) -> Result<T, Halt>,
    ) -> Result<(), Halt> {
        match parked.operation(self.index)?.split_first() {
            // The error of a failed branch was taken already.
            Some((&DONE, given)) if !is_error(given)? => value.coding.kind.drop_payload(given),
            _ => {}
        }
        self.cancel(parked, cx, step)
    }

    /// Takes the value, which must be there.
    ///
    /// # Errors
    /// [`StepError::Decode`] if it cannot be read.
    pub fn take<T>(self, value: &Local<T>, parked: &Parked) -> Result<T, Halt> {
        let given = self.given(value, parked)?;
        Ok(given.ok_or_else(|| damaged("a branch is not done"))?)
    }

    /// The error, if that is the value.
    ///
    /// # Errors
    /// [`StepError::Decode`] if it cannot be read.
    pub fn failed<T: MayFail>(
        self,
        value: &Local<T>,
        parked: &Parked,
    ) -> Result<Option<T::Error>, Halt> {
        match parked.operation(self.index)?.split_first() {
            Some((&DONE, given)) if is_error(given)? => {
                Ok(self.given(value, parked)?.and_then(|given| given.into_result().err()))
            }
            _ => Ok(None),
        }
    }

    /// Takes the value of a branch that is known not to have failed.
    ///
    /// # Errors
    /// [`StepError::Decode`] if it cannot be read.
    pub fn take_ok<T: MayFail>(self, value: &Local<T>, parked: &Parked) -> Result<T::Value, Halt> {
        let given = self.given(value, parked)?.and_then(|given| given.into_result().ok());
        Ok(given.ok_or_else(|| damaged("a branch is not done"))?)
    }

    fn given<T>(self, value: &Local<T>, parked: &Parked) -> Result<Option<T>, Halt> {
        match parked.operation(self.index)?.split_first() {
            Some((&DONE, given)) => Ok(Some(value.coding.decode(given)?)),
            _ => Ok(None),
        }
    }

    /// The state of the branch, if it has begun and not ended.
    fn runs(self, parked: &Parked) -> Result<Option<Parked>, StepError> {
        match parked.operation(self.index)?.split_first() {
            Some((&RUNS, frame)) => {
                Parked::take_apart(Bytes::copy_from_slice(frame), parked.states).map(Some)
            }
            _ => Ok(None),
        }
    }
}
