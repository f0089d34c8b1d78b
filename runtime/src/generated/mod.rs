//! The functions and types that only generated code uses, exported as `piton::__private`.
//!
//! The code that `#[workflow]` and `#[activity]` generate is ordinary Rust in the user's crate, so everything it
//! names must be public. `::piton::__private` exports the public items of this module. It is not public API, and
//! the macros must have the same version. The contents:
//!
//! - tokens, with which rustc infers the type of a local (`local`, `operation_token`), and their properties;
//! - passing locals from one part of a step to another (`locals`, `untouched`, `stand_in`);
//! - replacements of language features: `?` (`question`), branches (`region`, `fallible`), `for` loops
//!   (`iteration`, `counting`, `inclusive_range`), lookups that are repeated after an await (`lending`,
//!   `places`, `stays`), literals and texts (`literals`, `texts`, `borrowed_text`);
//! - registration of definitions (`registration`, `instances`) and the marker of strict workflows (`strict`);
//! - code compiled here so that crates with workflows need not compile it (`common`, `units`).
//!
//! `machine/` drives machines, and knows only the tokens and the registry of this module.

mod arguments;
mod borrowed_text;
#[cfg(debug_assertions)]
mod common;
mod constants;
mod counting;
mod error_text;
pub(crate) mod fallible;
mod field_names;
mod inclusive_range;
mod instances;
mod iteration;
mod key_part;
mod lending;
mod literals;
mod local;
mod locals;
mod number;
pub(crate) mod operation_token;
mod own_parts;
mod places;
mod question;
mod region;
pub(crate) mod registration;
mod same_type;
mod stand_in;
mod stays;
mod strict;
mod texts;
mod units;
mod untouched;
mod values;

pub use std::borrow::Cow;
pub use std::convert::Infallible;
pub use std::iter::Iterator;
pub use std::marker::PhantomData;
pub use std::option::Option::{self, None, Some};
pub use std::result::Result::{self, Err, Ok};
pub use std::task::Poll;

pub use crate::activities::ActivityContext;
pub use crate::activities::registry::{Attempt, ReportedError, register as register_activity};
#[cfg(feature = "engine")]
pub use serde_json::Value as Json;

#[cfg(feature = "engine")]
pub use crate::client::queries::{
    NoAnswer, NoArgument, Query, QueryAnswer, QueryArgument, QueryArguments, ReadArgument,
    ShowAnswer,
};
#[cfg(feature = "engine")]
pub use crate::client::validators::{Validator, exposes, validate};
pub use crate::codec::{Arguments, CodecError, Reader, next_value};
#[cfg(feature = "engine")]
pub use crate::evolution::{Migration, SavedLocals, Target};
pub use crate::machine::activity::{Call, Outcomes};
pub use crate::machine::entry::{Instance, Registered, register};
pub use crate::machine::id_pattern::IdPattern;
pub use crate::machine::parked::Parked;
pub use crate::machine::turns::in_turn;
pub use crate::machine::values::{ArgumentKind, Values};
pub use crate::machine::workflow::{Fallible, Halt, Plain};
pub use crate::machine::{
    Activity, ActivityCall, ActivityError, ActivityOptions, Context, Definition, Durability,
    Durable, DurableFuture, Failure, ResultParts, StepError, StepOf, Workflow, WorkflowCall,
    WorkflowEntry, WorkflowOptions,
};
pub use crate::model::attributes::IntoText;
pub use crate::model::{Graph, Payload, RetryPolicy};

pub use arguments::{Refused, Storable, lent_argument, stored, stored_argument, stored_parameter};
pub use borrowed_text::{Borrowed, Held, Owned, OwnedItems, Whole, held_as};
#[cfg(debug_assertions)]
pub use common::COMMON;
pub use constants::{Constant, ContentByDebug, ContentBySerde, NoContent, describe_constants};
pub use counting::{CountedRange, Counter, range};
pub use error_text::{ByDebug, ByDisplay, ByError, ByOwn, ByType, ErrorText};
pub use fallible::{MayFail, failed, take_ok};
pub use field_names::{FieldNames, PartNames};
pub use inclusive_range::inclusive_range;
pub use instances::{concat, entry_of, instance_name, text};
pub use iteration::{
    DurableItem, Gives, Items, Position, beside, current_copy, current_item, item, item_list,
    items, keeps, next_copy, next_item,
};
pub use key_part::KeyPart;
pub use lending::{
    Asked, Copies, KeptKey, Lender, Lends, Owners, copy_of_key, lender, lent_by, lent_mutably,
    opened,
};
pub use literals::{Each, Holds, Literal, Told, lasting};
pub use local::{Local, TypeOf, local};
pub use locals::{Handed, Slot};
pub use number::{Number, number};
pub use operation_token::{Branch, Choice, Fut};
pub use own_parts::{HeldByParts, Parts};
pub use places::{
    place_of_find, place_of_max, place_of_max_by, place_of_max_by_key, place_of_min,
    place_of_min_by, place_of_min_by_key, place_of_rfind,
};
pub use question::{FromResidual, Question};
pub use region::{Never, Region};
pub use registration::Initializer;
pub use same_type::{
    calls_0, calls_1, calls_2, calls_3, calls_4, calls_5, calls_6, same_type, takes_0, takes_1,
    takes_2, takes_3, takes_4, takes_5, takes_6,
};
pub use stand_in::stand_in;
pub use stays::{IsBorrowed, stays, used_later};
pub use strict::Checked;
pub use texts::{Texts, lent_text, owned_text, owned_texts, static_text, static_texts};
pub use units::*;
pub use untouched::Untouched;
pub use values::{Encodable, Encoded, Unencodable, Unstored, UnstoredResult, ValuesOf};

/// The properties of the results of activities.
pub mod report {
    pub use crate::activities::report::*;
}

/// The connections of activities that write in the transaction of a commit.
pub mod transaction {
    pub use crate::activities::transaction::*;
}

/// The value of an await in statement position. rustc applies its lints to it.
pub fn discarded<T>(value: T) -> T {
    value
}

/// Starts a group of waits: all of them must arrive before the next step, or one.
pub fn open_waits(cx: &Context, all: bool) {
    cx.open_waits(all);
}

/// Ends the group of [`open_waits`]; `keep` says whether the step waits for it.
pub fn close_waits(cx: &Context, keep: bool) {
    cx.close_waits(keep);
}

/// Whether all `count` branches of a `select!` are disabled, in a step that does not cancel them.
pub fn are_off(parked: &Parked, count: usize, cx: &Context) -> bool {
    !cx.is_giving_up() && (0..count).all(|index| parked.is_absent(index))
}

/// Makes the step continue at once: there is nothing to wait for.
pub fn go_on(cx: &Context) {
    cx.go_on();
}
