//! The code for values of common types, compiled with piton.
//!
//! Without optimization, rustc reuses instances of generic functions from a dependency that has them
//! (`share-generics`). The code for a `String` in a workflow is then compiled once, here, and not in every crate
//! with workflows. With optimization nothing is shared, and this module is left out.

use std::any::Any;
use std::convert::Infallible;
use std::ops::ControlFlow;

use serde::{Deserialize, Serialize};

use super::question::{FromResidual, Question};
use super::values::{Encodable, Encoded};
use super::{ActivityError, Halt, Items, Local, Outcomes, Parked, Slot, Untouched, Values};
use super::{Durable, item_list, lent_argument, local, stored_argument};
use crate::activities::report::{self, ErrorProbe, ReportByDisplay, RetryAnyway};
use crate::activities::{ActivityContext, ReportedError};
use crate::codec::Arguments;
use crate::error::Error;
use crate::machine::workflow::{Steps, Typed};

/// Addresses of functions. They are never called; naming a function here compiles it.
type Instances = &'static (dyn Sync + Send);

/// The functions for common types.
pub static COMMON: &[Instances] = &[
    values::<()>(),
    values::<bool>(),
    values::<char>(),
    values::<u8>(),
    values::<u16>(),
    values::<u32>(),
    values::<u64>(),
    values::<usize>(),
    values::<i8>(),
    values::<i16>(),
    values::<i32>(),
    values::<i64>(),
    values::<f32>(),
    values::<f64>(),
    values::<String>(),
    values::<Option<bool>>(),
    values::<Option<u32>>(),
    values::<Option<u64>>(),
    values::<Option<i32>>(),
    values::<Option<i64>>(),
    values::<Option<f64>>(),
    values::<Option<String>>(),
    values::<Vec<u8>>(),
    values::<Vec<u32>>(),
    values::<Vec<u64>>(),
    values::<Vec<i32>>(),
    values::<Vec<i64>>(),
    values::<Vec<f64>>(),
    values::<Vec<String>>(),
    fallible::<()>(),
    fallible::<bool>(),
    fallible::<u32>(),
    fallible::<u64>(),
    fallible::<i64>(),
    fallible::<String>(),
    values::<Error>(),
    values::<(u64, u64)>(),
    values::<Fields>(),
    items::<u32>(),
    items::<u64>(),
    items::<i32>(),
    items::<i64>(),
    items::<String>(),
    others(),
];

/// A struct with fields of common types, as users have them.
#[derive(Clone, Serialize, Deserialize)]
struct Fields {
    truth: bool,
    small: u8,
    number: u32,
    count: u64,
    size: usize,
    signed: i32,
    long: i64,
    float: f64,
    text: String,
    maybe_number: Option<u32>,
    maybe_count: Option<u64>,
    maybe_text: Option<String>,
    bytes: Vec<u8>,
    numbers: Vec<u32>,
    counts: Vec<u64>,
    texts: Vec<String>,
}

const fn values<T: Durable + 'static>() -> Instances {
    const {
        &(
            Values::<T>::of(),
            local::<T>(),
            Outcomes::<T, T, Infallible>::of(),
            (
                stored_argument::<T> as fn(Arguments, T) -> Arguments,
                lent_argument::<T> as fn(Arguments, &T) -> Arguments,
            ),
            Parked::argument::<T> as fn(&mut Parked, &Values<T>) -> T,
            locals::<T>(),
            returned::<T>(),
        )
    }
}

/// The functions of a local.
type Locals<T> = (
    (fn(&Local<T>, &T, &mut Parked), fn(&Local<T>, &mut Slot<T>, &mut Parked)),
    (fn(&Local<T>, &mut Parked, usize) -> T, fn(&Local<T>, &mut Slot<T>, &mut Parked) -> T),
    (extern "C" fn(&mut Slot<T>, T), extern "C" fn(&mut Slot<T>, usize)),
    extern "C" fn(&mut Slot<T>) -> T,
);

const fn locals<T>() -> Locals<T> {
    (
        (Local::put, Local::put_slot),
        (Local::load, Local::take),
        (Slot::fill, Slot::pass),
        Slot::take,
    )
}

/// The functions of the return value of a workflow.
type Returned<T> = (fn(&Typed<T>) -> &dyn Steps, fn(&mut Parked) -> Result<T, Halt>);

const fn returned<T: 'static>() -> Returned<T> {
    (as_steps, Parked::leave)
}

fn as_steps<T>(typed: &Typed<T>) -> &dyn Steps {
    typed
}

/// The functions of a `Result` whose error is a text or piton's own error.
const fn fallible<T: Durable + 'static>() -> Instances {
    const { &(results::<T, String>(), results::<T, Error>()) }
}

const fn results<T: Durable + 'static, E: Durable + 'static>() -> Instances
where
    Error: From<ActivityError<E>>,
{
    const {
        &(
            Values::<Result<T, E>>::of_result(),
            Outcomes::<Result<T, E>, Result<T, ActivityError<E>>, E>::of_result(),
            returned::<Result<T, E>>(),
            report::attempt_result::<E> as fn(_, _, _) -> _,
            report::add_if_ok::<T, E> as fn(_, _) -> _,
            question::<T, ActivityError<E>>(),
            question::<T, Error>(),
        )
    }
}

/// The functions of a `?` behind a `Result<T, E>`.
type QuestionOf<T, E> = (
    fn(Option<Result<T, E>>, &mut Parked, fn(Refused<E>) -> Box<dyn Any>) -> Option<T>,
    fn(Result<T, E>) -> ControlFlow<Refused<E>, T>,
    fn(Refused<E>) -> Box<dyn Any>,
    fn(Refused<E>) -> Result<(), Error>,
);

type Refused<E> = Result<Infallible, E>;

const fn question<T: 'static, E>() -> QuestionOf<T, E>
where
    Error: From<E>,
{
    (
        <Result<T, E> as Question>::ask,
        <Result<T, E> as Question>::branch,
        <Result<T, Error> as FromResidual<Refused<E>>>::returned,
        <Result<(), Error> as FromResidual<Refused<E>>>::from_residual,
    )
}

const fn items<T: Durable + 'static>() -> Instances {
    const {
        &(
            item_list::<T>(),
            locals::<Items<T>>(),
            super::items::<Vec<T>, T> as fn(_) -> _,
            <Items<T> as Iterator>::next as fn(&mut Items<T>) -> Option<T>,
        )
    }
}

/// The functions that do not depend on users' types.
const fn others() -> Instances {
    &(
        <Encoded<'_, str> as Encodable>::piton_added_to as fn(_, _) -> _,
        <&&ErrorProbe<'_, String> as ReportByDisplay>::piton_reported as fn(_, _) -> _,
        <&ErrorProbe<'_, String> as RetryAnyway>::piton_retry as fn(_) -> _,
        <&&ErrorProbe<'_, Error> as ReportByDisplay>::piton_reported as fn(_, _) -> _,
        <&ErrorProbe<'_, Error> as RetryAnyway>::piton_retry as fn(_) -> _,
        (drop::<ActivityContext> as fn(_), drop::<Arguments> as fn(_)),
        (drop::<ReportedError> as fn(_), drop::<Untouched> as fn(_)),
    )
}
