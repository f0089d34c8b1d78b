//! State machines without a database: what `#[workflow]` generates, and what drives it.
//!
//! A workflow is an enum of states and one synchronous function from state to state. A step does no
//! I/O: it is a function of the state and of what has arrived, and its outcome is the next state,
//! new [operations](crate::model::Operation), and a condition to wait for. This module must not
//! know about tokio, stores or how operations are carried out.

mod activity;
mod asked_again;
mod borrowed_text;
mod cancellation;
#[cfg(debug_assertions)]
pub(crate) mod common;
pub(crate) mod context;
mod counting;
mod definition;
pub(crate) mod durable;
pub(crate) mod entry;
mod fallible;
mod frame;
mod future;
mod hole;
mod inclusive_range;
mod inline;
pub(crate) mod instances;
mod iteration;
mod join_all;
mod lending;
mod literals;
mod locals;
mod number;
mod operation_token;
mod own_parts;
mod parked;
pub(crate) mod places;
mod region;
pub(crate) mod same_type;
mod signal;
mod standalone;
mod stays;
mod step;
mod texts;
mod timer;
mod told_by_type;
pub mod units;
mod untouched;
pub(crate) mod values;
pub(crate) mod workflow;
mod writer;

pub use activity::{
    Activity, ActivityCall, ActivityError, ActivityOptions, Call, Outcomes, PendingActivity,
    ResultParts, Retryable, TimeoutKind,
};
pub use asked_again::{found, kept};
pub use borrowed_text::{Borrowed, Held, Owned, OwnedItems, Whole, held_as};
pub use cancellation::{Cancellation, Cancelled};
pub use context::{Context, RunInfo};
pub use counting::{CountedRange, Counter, range};
pub use definition::Definition;
pub use durable::{Coding, Durable, Local, Saved, TypeOf, local};
pub use entry::{Instance, Registered, WorkflowEntry, register};
pub use fallible::{MayFail, failed, take_ok};
pub use frame::FrameReader;
pub use future::{DurableFuture, outcome};
pub use hole::{Hole, forget};
pub use inclusive_range::inclusive_range;
pub use inline::PendingInline;
pub use iteration::{
    DurableItem, Gives, Items, MAX_LOOP_ITEMS, Position, beside, current_copy, current_item,
    inspected, item, item_list, items, keeps, next_copy, next_item,
};
pub use join_all::{JoinAll, PendingItem, join_all};
pub use lending::{
    Asked, Copies, KeptKey, Lender, Lends, Owners, copy_of_index, copy_of_key, lender, lent_by,
    lent_mutably, opened,
};
pub use literals::{Each, Holds, Literal, Told, lasting};
pub use locals::{Handed, Slot};
pub use number::{Number, number};
pub use operation_token::{Branch, Choice, Fut};
pub use own_parts::{HeldByParts, Parts};
pub use parked::Parked;
pub use region::{Never, Region};
pub use signal::{PendingSignal, Signal, SignalValue, SignalWait, SignalWithin};
pub use standalone::{Progress, Standalone};
pub use stays::{IsBorrowed, stays, used_later};
pub use step::{Machine, OperationOutcome, StepError, StepOutcome};
pub use texts::{Texts, lent_text, owned_text, owned_texts, static_text, static_texts};
pub use timer::{PendingTimer, Sleep};
pub use told_by_type::{given, told};
pub use untouched::Untouched;
pub use values::Values;
pub use workflow::{
    Durability, Fallible, Halt, Outcome, Plain, Returned, StepOf, Steps, Typed, Workflow,
    WorkflowCall, WorkflowOptions,
};
