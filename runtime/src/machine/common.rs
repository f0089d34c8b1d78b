//! The code for values of common types, compiled with piton.
//!
//! Without optimization rustc takes instances of generic functions from the dependency that has
//! them (`share-generics`). So what a workflow does with a `String` is compiled once, here, and not
//! in every crate that has workflows. With optimization nothing is shared, and this is left out.

use std::any::Any;
use std::hint::black_box;
use std::ops::ControlFlow;

use serde::{Deserialize, Serialize};

use super::values::{Encodable, Encoded, Values};
use super::workflow::{Steps, Typed};
use super::{ActivityError, Context, Durable, Outcomes, Parked, Slot, Untouched};
use crate::__private::{lent_argument, stored_argument};
use crate::activities::report::{ReportByDisplay as _, RetryAnyway as _};
use crate::activities::{ActivityContext, report};
use crate::codec::{self, Arguments, ArgumentsReader, next_argument};
use crate::error::Error;
use crate::question::{FromResidual, Question};

/// That for common types. Nobody calls these.
pub static COMMON: &[fn(&mut Parked, &Context, &mut ArgumentsReader<'_>)] = &[
    values::<()>,
    values::<bool>,
    values::<char>,
    values::<u8>,
    values::<u16>,
    values::<u32>,
    values::<u64>,
    values::<usize>,
    values::<i8>,
    values::<i16>,
    values::<i32>,
    values::<i64>,
    values::<f32>,
    values::<f64>,
    values::<String>,
    values::<Option<bool>>,
    values::<Option<u32>>,
    values::<Option<u64>>,
    values::<Option<i32>>,
    values::<Option<i64>>,
    values::<Option<f64>>,
    values::<Option<String>>,
    values::<Vec<u8>>,
    values::<Vec<u32>>,
    values::<Vec<u64>>,
    values::<Vec<i32>>,
    values::<Vec<i64>>,
    values::<Vec<f64>>,
    values::<Vec<String>>,
    fallible::<()>,
    fallible::<bool>,
    fallible::<u32>,
    fallible::<u64>,
    fallible::<i64>,
    fallible::<String>,
    values::<Error>,
    values::<(u64, u64)>,
    values::<Fields>,
    items::<u32>,
    items::<u64>,
    items::<i32>,
    items::<i64>,
    items::<String>,
    others,
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

fn values<T: Durable + 'static>(
    parked: &mut Parked,
    cx: &Context,
    arguments: &mut ArgumentsReader<'_>,
) {
    let Some(value) = (Values::<T>::of().next)(arguments) else { return };
    let _ = stored_argument(Arguments::NONE, value);
    let Some(value) = next_argument::<T>(arguments) else { return };
    let _ = lent_argument(Arguments::NONE, &value);
    if let Ok(payload) = codec::to_payload(&value) {
        drop(codec::from_payload::<T>(&payload));
    }
    let returns = report::Returns::<T> { add: Arguments::add, error: None };
    drop(returns.report(&value));
    let _: &(dyn Any + Sync) = black_box(&returns);
    black_box(report::returned::<T> as fn(_, _));
    black_box(Outcomes::<T, T>::of());
    let steps: &dyn Steps = &Typed::of_none(Values::<T>::of());
    drop(steps.step(parked, cx));
    drop(parked.leave::<T>());
    drop(parked.argument::<T>(Values::of()));
    let token = super::local::<T>();
    token.put(&value, parked);
    drop(token.load(parked, 0));
    let mut slot = Slot::Empty;
    slot.fill(value);
    slot.pass(0);
    token.put_slot(&mut slot, parked);
    drop(token.take(&mut slot, parked));
    drop(slot.take());
}

/// What may fail with a text, or with piton's own error.
fn fallible<T: Durable + 'static>(
    parked: &mut Parked,
    cx: &Context,
    arguments: &mut ArgumentsReader<'_>,
) {
    results::<T, String>(parked, cx, arguments);
    results::<T, Error>(parked, cx, arguments);
}

fn results<T: Durable + 'static, E: Durable + 'static>(
    parked: &mut Parked,
    cx: &Context,
    arguments: &mut ArgumentsReader<'_>,
) where
    Error: From<ActivityError<E>>,
{
    let values = Values::<Result<T, E>>::of_result();
    let Some(result) = (values.next)(arguments) else { return };
    let steps: &dyn Steps = &Typed::of_none(values);
    drop(steps.step(parked, cx));
    drop(parked.leave::<Result<T, E>>());
    drop(result);
    let outcomes = black_box(Outcomes::<Result<T, E>, Result<T, ActivityError<E>>>::of_result());
    let returns = report::Returns { add: outcomes.add, error: None };
    let _: &(dyn Any + Sync) = black_box(&returns);
    black_box(report::returned::<Result<T, E>> as fn(_, _));
    let outcome = None::<Result<T, ActivityError<E>>>;
    drop(Question::ask(outcome, parked, <Result<T, Error> as FromResidual<_>>::returned));
    let outcome = None::<Result<T, Error>>;
    drop(Question::ask(outcome, parked, <Result<T, Error> as FromResidual<_>>::returned));
    let Some(outcome) = None::<Result<T, ActivityError<E>>> else { return };
    match outcome.branch() {
        ControlFlow::Continue(value) => drop(value),
        ControlFlow::Break(residual) => drop(Result::<(), Error>::from_residual(residual)),
    }
}

fn items<T: Durable + 'static>(
    parked: &mut Parked,
    _: &Context,
    arguments: &mut ArgumentsReader<'_>,
) {
    let Some(list) = next_argument::<Vec<T>>(arguments) else { return };
    let mut items = super::items(list);
    drop(items.next());
    let token = super::item_list::<T>();
    token.put(&items, parked);
    drop(token.load(parked, 0));
    let mut slot = Slot::Empty;
    slot.fill(items);
    slot.pass(0);
    token.put_slot(&mut slot, parked);
    drop(token.take(&mut slot, parked));
    drop(slot.take());
}

/// What does not depend on types of users at all.
fn others(_: &mut Parked, _: &Context, _: &mut ArgumentsReader<'_>) {
    let _ = Encoded("").added_to(Arguments::NONE);
    let (text, error) = (String::new(), Error::msg(""));
    let probe = report::ErrorProbe(&text);
    drop((&&probe).reported((&probe).retry()));
    let probe = report::ErrorProbe(&error);
    drop((&&probe).reported((&probe).retry()));
    drop(None::<(ActivityContext, Arguments, crate::activities::ReportedError, Untouched)>);
}
