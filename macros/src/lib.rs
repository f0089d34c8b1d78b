//! The compiler of [piton](https://docs.rs/piton): use it through the `piton` crate, which
//! re-exports everything here.

mod activity;
mod anf;
mod attributes;
mod check;
mod codegen;
mod collections;
mod derives;
mod desugar;
mod diagnostics;
mod flow;
mod frontend;
#[cfg(test)]
mod fuzz;
mod ir;
mod layout;
pub(crate) mod lower;
mod pipeline;
mod register;
mod rematerialize;
mod resolve;
mod syntax;
mod values;
mod verify;

use proc_macro::TokenStream;

use crate::attributes::{deterministic, migrate, query};
use crate::derives::{signal, update};
use crate::diagnostics::Diagnostics;
use crate::frontend::fragments;
use crate::syntax::root::Root;

/// Compiles an `async fn` into a durable state machine. Its state is saved at every `.await`, and after a
/// crash the run continues from there.
///
/// ```ignore
/// #[workflow]
/// async fn fulfill(cx: &Context, order: Order) -> piton::Result<Summary> {
///     let receipt = charge(&order.id, order.cents).await?;
///     cx.sleep(days(1)).await;
///     let parcel = ship(order).await?;
///     Ok(Summary { receipt, parcel })
/// }
///
/// let run = client.start(fulfill(order)).id("order-42").await?;
/// ```
///
/// Calling the function creates a `WorkflowCall`. Started with a client, the call becomes a run; awaited
/// in another workflow, it becomes a part of that workflow's run. A type with the function's name has the
/// definition, such as `fulfill::GRAPH`. The type of a method has no name; its graph is
/// `Account::open(owner).graph()`.
///
/// The attribute applies to functions, and to methods with `self` by value in an `impl` block. If
/// another macro generates the block, the block needs the attribute as well.
///
/// The first parameter may be `cx: &Context`. All other parameters are stored, so they own their data.
///
/// | option | meaning | default |
/// |---|---|---|
/// | `name = "…"` | the stored name | the function's, after its type for a method |
/// | `formerly = "…"` | a former stored name; may be repeated. Runs stored under it belong to this workflow | |
/// | `version = 2` | the version among several workflows of one name | 1 |
/// | `allow(rule, …)` | these rules are off | |
/// | `warn(rule, …)` | breaking these rules is a warning | |
/// | `deny(rule, …)` | breaking these rules is an error | all rules but `repeated_state` |
/// | `strict` | called free functions must be [`#[deterministic]`](macro@deterministic) | off |
/// | `durability = "relaxed"` | the run continues while its state is being written | `"strict"` |
/// | `max_steps_ahead = 16` | the maximum number of steps that a relaxed run may be ahead of the disk | 16 |
/// | `id = "order-{order.id}"` | the workflow id of a run that is started without one: a pattern with parameters and their fields. `fulfill::workflow_id(&order)` formats it | the run id |
/// | `history = 10` | the number of past states to keep per run, for inspection and for going back | none |
/// | `crate = "…"` | the path of this crate, if another crate re-exports it | its name in `Cargo.toml` |
///
/// # Durability
/// *Strict*: the state of a step is on disk before the operations of the step start. After a crash,
/// only the attempts that were running are repeated.
///
/// *Relaxed*: the run continues while the database writes, up to `max_steps_ahead` steps ahead. After a
/// crash, the run continues from the last state on disk and repeats the steps since then, with their
/// activities. The activities of the state on disk are repeated as well, even if they had finished: in a
/// sequence of activities, at most `max_steps_ahead` + 1 in all.
/// Observers see the same as with a strict workflow. A result is on disk before anyone receives it. A
/// signal leaves the inbox only with the state that has used it. An activity with `at_most_once` or
/// `transaction` keeps its guarantee, because it starts only after the database has written. A clean
/// shutdown repeats nothing.
///
/// # In the body
/// | attribute | on | meaning |
/// |---|---|---|
/// | `#[state("…")]` | a statement or expression with one await, a branch of `select!`, `join!` or `try_join!` | the stored name |
/// | `#[formerly("…")]` | a `let` statement with one variable | a former name of the variable, which saved states may contain |
/// | `#[expose]` | a `let` statement with one variable | the variable is saved in every state until the end of its scope, and can be read from outside by its name: [`#[query]`](macro@query), `client.by_id(…).variable(…)` |
/// | `#[redact]` | a `let` statement, a parameter | inspection hides the values of the variables, and the parts of them that a loop or an expression saves; values computed from them are shown |
///
/// `docs/limits.md` lists the rules for workflows, with the reason and the rewrite for each.
/// With `PITON_EXPAND=1`, or the function's name instead of `1`, the compiler prints the machine.
#[proc_macro_attribute]
pub fn workflow(arguments: TokenStream, item: TokenStream) -> TokenStream {
    let arguments = arguments.into();
    let root = Root::of(&arguments);
    root.applied(pipeline::expand(arguments, item.into(), Diagnostics::new())).into()
}

/// Registers an instance of a generic workflow, so that runs of it can be started.
///
/// ```ignore
/// #[workflow]
/// async fn relay<T: Durable + Clone>(value: T, times: u32) -> T { /* … */ }
///
/// register!(relay::<Order>);
/// register!(relay::<shop::Invoice>, name = "relay.invoice");
/// register!(Account::<Order>::settle);
/// ```
///
/// A workflow without type parameters registers itself, and a generic one that is only awaited by
/// other workflows needs no registration. Each instance has its own stored name, which must be the same
/// in every program that serves its runs: the workflow's name with the types as written here,
/// without their modules (`relay<Order>`), unless `name = "…"` gives another.
#[proc_macro]
pub fn register(input: TokenStream) -> TokenStream {
    let input = input.into();
    let root = Root::of(&input);
    root.applied(register::expand(input, Diagnostics::new())).into()
}

/// Makes an `async fn` with effects callable from workflows. Its body is any async Rust.
///
/// ```ignore
/// #[activity(start_to_close = "30s", retry(initial = "1s", max_attempts = 5))]
/// async fn charge(cx: &ActivityContext, order: &str, cents: u64) -> Result<Receipt, Declined> {
///     let gateway = cx.dependency::<Gateway>();
///     gateway.charge(cx.idempotency_key(), order, cents).await
/// }
/// ```
///
/// Calling the function creates an `ActivityCall`, which runs when a workflow awaits it. The arguments
/// are encoded at the call, so they may be references. If the function returns `T`, the call returns `T`,
/// and a failure outside the function (a timeout, a panic) fails the run. If the function returns
/// `Result<T, E>`, the call returns `Result<T, ActivityError<E>>`. `Retryable`, if the error type
/// implements it, and `non_retryable` decide whether an error is retried. A panic is retried like an
/// error.
///
/// The first parameter may be `cx: &ActivityContext`. It is not a part of the call.
///
/// The attribute also applies to functions in an `impl` block without type parameters, and to methods
/// with `self` by value or by reference, which is encoded with the arguments:
///
/// ```ignore
/// impl Shop {
///     #[activity]
///     async fn charge(order: &str, cents: u64) -> Result<Receipt, Declined> { /* … */ }
/// }
///
/// let receipt = Shop::charge(&order.id, order.cents).await?;
/// ```
///
/// The stored name is `Shop::charge`. If another macro generates the block, the block needs the attribute
/// as well.
///
/// | option | meaning | default |
/// |---|---|---|
/// | `name = "…"` | the stored name | the function's, after its type for a method |
/// | `start_to_close = "30s"` | the maximum time of one attempt | no limit |
/// | `schedule_to_close = "1h 30m"` | the maximum time of all attempts, with the waits between | no limit |
/// | `schedule_to_start = "5m"` | the maximum time that an attempt may wait to start | no limit |
/// | `heartbeat = "10s"` | the maximum time between two heartbeats of an attempt, see below | no limit |
/// | `delay = "10m"` | the time from the call to the first attempt | none |
/// | `queue = "gpu"` | the queue of the calls, see below | none: the run's own worker |
/// | `priority = 5` | calls with a higher priority start first on a queue | 0 |
/// | `partition = "{tenant}"` | the partition of the queue, see [the guide](https://docs.rs/piton) | none |
/// | `retry(initial = "1s")` | the wait before the second attempt | 1 s |
/// | `retry(backoff = 2.0)` | the factor of each further wait | 2.0 |
/// | `retry(max_interval = "1m")` | the longest wait | 100 × `initial` |
/// | `retry(max_attempts = 5)` | the maximum number of attempts; 0 is no limit | 0 |
/// | `retry(jitter = 0.1)` | the maximum fraction by which a wait is shortened at random | 0.1 |
/// | `retry(non_retryable = [CardError::Declined { .. }])` | errors, as patterns, that are not retried | none |
/// | `retry(panics = false)` | a panic is not retried | panics are retried |
/// | `at_most_once` | at most one attempt, see below | off |
/// | `transaction` | the function's writes to the database are committed with its outcome, see below | off |
/// | `max_concurrent = 8` | the maximum number of concurrent attempts in one worker | no limit |
/// | `blocking` | the function is no `async fn` and may block its thread | off |
/// | `crate = "…"` | the path of this crate, if another crate re-exports it | its name in `Cargo.toml` |
///
/// # Delivery guarantee
/// At least once: if the worker dies during an attempt, another attempt follows, with the same
/// `cx.idempotency_key()`. An `at_most_once` activity has no second attempt. Its errors are final, and
/// if its worker dies, the workflow receives `ActivityError::OutcomeUnknown`: the activity may have had
/// its effect or not. In rare cases, the worker died just before the attempt.
///
/// # Queues
/// Without a queue, the worker that owns the run attempts the activity. With a queue, the commit that
/// requests the activity inserts a row, and any worker that serves the queue
/// (`Worker::new(&client).queue("gpu")`) takes it, in any process. The run receives the outcome exactly
/// once. If the workflow drops the call, or the run closes, the row is removed and the running function
/// is notified (`cx.cancelled()`). A call may name its queue itself: `charge(..).queue("eu")`.
///
/// # Heartbeats
/// `cx.heartbeat(&progress)` reports that an attempt is alive, and saves its progress for the next one
/// (`cx.last_heartbeat()`). With `heartbeat = "10s"`, an attempt without a heartbeat for longer than
/// that fails and is retried.
///
/// # Completing from elsewhere
/// An activity may hand out `cx.token()` and end with `cx.complete_later().await`. Code with the token
/// completes or fails the attempt from anywhere, with `client.complete_activity::<approve>(..)`, even
/// after the worker that started it has died.
///
/// # Transactions
/// A `transaction` activity writes to the database of the runs, in a transaction:
///
/// ```ignore
/// use piton::sqlx::{self, PgConnection};
///
/// #[activity(transaction)]
/// async fn book(db: &mut PgConnection, order: &str, cents: i64) -> Result<(), BookError> {
///     sqlx::query("INSERT INTO ledger VALUES ($1, $2)").bind(order).bind(cents).execute(db).await?;
///     Ok(())
/// }
/// ```
///
/// The connection is the first parameter, after the context if there is one: `&mut PgConnection` or
/// `&mut SqliteConnection`, as the worker's database; with the other type the run fails. When
/// the function returns a value, its writes and the value are committed together, under the same
/// guard as every step: its writes happen exactly once, regardless of retries and crashes. An error, a
/// panic or a timeout rolls them back, and the activity is retried as usual.
///
/// The function must be short, because it holds locks: on SQLite nothing else can write, and on
/// Postgres it holds one of the worker's connections. The default of `start_to_close` is 5 s.
/// On SQLite, no worker on the file can renew its lease meanwhile. With a longer `start_to_close`, give
/// all workers a lease (`Worker::lease`, 15 s by default) of at least twice that.
/// The function must not end the transaction itself. If the workflow drops the call, as in a `select!`,
/// the transaction is rolled back. If it is being committed at that moment, its writes happen once, and
/// the workflow continues without the returned value.
///
/// # Blocking
/// A `blocking` function runs on a blocking thread, of which a worker uses a limited number
/// (`Worker::max_blocking`). A thread cannot be stopped: after a timeout or a request to cancel, the
/// function continues to its end, its result is ignored, and another attempt may start meanwhile.
///
/// # Tests
/// The body is an associated function of the type with the function's name, with the parameters as
/// written, including the context: `charge::call(&cx, "order-42", 1_200).await`. The body of a method is
/// a function beside it: `Shop::call_charge("order-42", 1_200).await`.
#[proc_macro_attribute]
pub fn activity(arguments: TokenStream, item: TokenStream) -> TokenStream {
    let (arguments, item) = (arguments.into(), fragments::kept_together(item.into()));
    let root = Root::of(&arguments);
    root.applied(activity::expand(arguments, item, Diagnostics::new())).into()
}

/// Makes values of a type sendable to a run, which waits for them with `cx.signal::<Approve>()`.
///
/// ```ignore
/// #[derive(Signal, Serialize, Deserialize)]
/// #[signal(name = "order.approved")]
/// struct Approve {
///     by: String,
/// }
/// ```
///
/// The stored name is the type's name, unless `#[signal(name = "…")]` gives another.
#[proc_macro_derive(Signal, attributes(signal))]
pub fn signal(item: TokenStream) -> TokenStream {
    let item = item.into();
    let root = Root::of(&item);
    root.applied(signal::expand(item, Diagnostics::new())).into()
}

/// Makes the fields of a struct attributes of a run, which filters can search.
///
/// ```ignore
/// #[derive(Attributes)]
/// struct Order {
///     customer: String,
///     cents: i64,
///     shipped_at: Option<Timestamp>,
///     #[attribute(text)]
///     note: String,
///     #[attribute(name = "order_status")]
///     status: String,
/// }
/// ```
///
/// A `String` is a keyword of at most 1,000 bytes, or with `#[attribute(text)]` a text of at most 32 KiB. A
/// `Vec<String>` is a list of keywords. Integers that fit in an `i64`, floats, `bool` and `Timestamp` keep their types.
/// `None` unsets the attribute. The name of the attribute is the field's name, unless
/// `#[attribute(name = "…")]` gives another.
#[proc_macro_derive(Attributes, attributes(attribute))]
pub fn attributes(item: TokenStream) -> TokenStream {
    let item = item.into();
    let root = Root::of(&item);
    root.applied(derives::attributes::expand(item, Diagnostics::new())).into()
}

/// Makes values of a type requests to a run, which takes them with `cx.update::<AddItem>()` and answers each.
///
/// ```ignore
/// #[derive(Update, Serialize, Deserialize)]
/// #[update(reply = Money, error = OutOfStock)]
/// struct AddItem {
///     sku: String,
/// }
///
/// let total = run.update(AddItem { sku }).await?;
/// ```
///
/// | option | meaning | default |
/// |---|---|---|
/// | `name = "…"` | the stored name | the type's name |
/// | `reply = …` | the type of the answer | `()` |
/// | `error = …` | the type of the error with which the run may refuse it | `Never`: the run cannot refuse it |
/// | `crate = "…"` | the path of this crate, if another crate re-exports it | its name in `Cargo.toml` |
#[proc_macro_derive(Update, attributes(update))]
pub fn update(item: TokenStream) -> TokenStream {
    let item = item.into();
    let root = Root::of(&item);
    root.applied(update::expand(item, Diagnostics::new())).into()
}

/// Makes a pure function of exposed variables a query, which code outside the workflow calls on a run.
///
/// ```ignore
/// #[query(order)]
/// fn total(cart: &Cart, currency: &str) -> Money {
///     cart.total().to(currency)
/// }
///
/// let total = run.query(total::args("EUR")).await?;
/// ```
///
/// The first parameters are exposed variables: each has the variable's name, and a reference to its type (`&String` for a
/// text). The parameters from the first other type on are arguments. The compiler checks that the workflow exposes the
/// variables. The function is unchanged; a type of its name is added, whose function `args` takes the arguments. The
/// query runs in the calling process, on the state of the run's last commit.
///
/// `crate = "…"` after the workflow is the path of this crate, if another crate re-exports it.
#[proc_macro_attribute]
pub fn query(arguments: TokenStream, item: TokenStream) -> TokenStream {
    let (arguments, item) = (arguments.into(), fragments::kept_together(item.into()));
    let root = Root::of(&arguments);
    root.applied(query::expand(arguments, item, query::Kind::Query, Diagnostics::new())).into()
}

/// Makes a function the validator of an update: it is called before the update is sent.
///
/// ```ignore
/// #[validator(order)]
/// fn in_stock(request: &AddItem, cart: &Cart) -> Result<(), OutOfStock> {
///     if cart.is_full() { Err(OutOfStock) } else { Ok(()) }
/// }
/// ```
///
/// The first parameter is the update, the others are exposed variables, as for a [`query`](macro@query). The error type
/// is the update's. The function runs in the process that sends the update, if that process has it, on the state of the
/// run's last commit, before anything is written. The run never receives a refused update. The state may change before
/// the run takes the update, so the workflow must check what has to hold then. The function is not called for a run that
/// has no such variables yet, nor for an update whose id was accepted before.
#[proc_macro_attribute]
pub fn validator(arguments: TokenStream, item: TokenStream) -> TokenStream {
    let (arguments, item) = (arguments.into(), fragments::kept_together(item.into()));
    let root = Root::of(&arguments);
    let kind = query::Kind::Validator;
    root.applied(query::expand(arguments, item, kind, Diagnostics::new())).into()
}

/// Checks a function by the rules for workflows' bodies, so that workflows may call it. The function is unchanged.
///
/// ```ignore
/// #[deterministic]
/// fn total(order: &Order) -> u64 {
///     order.lines.iter().map(|line| line.cents).sum()
/// }
/// ```
///
/// A `#[workflow(strict)]` calls free functions only if they have it. For a free function, the attribute
/// emits an empty type of the same name as a marker; a method with `self` is only
/// checked. The options `allow(…)`, `warn(…)` and `deny(…)` are those of [`#[workflow]`](macro@workflow).
#[proc_macro_attribute]
pub fn deterministic(arguments: TokenStream, item: TokenStream) -> TokenStream {
    let (arguments, item) = (arguments.into(), fragments::kept_together(item.into()));
    let root = Root::of(&arguments);
    root.applied(deterministic::expand(arguments, item, Diagnostics::new())).into()
}

/// Migrates runs that are parked in a state which the current code does not have.
///
/// ```ignore
/// #[derive(Deserialize)]
/// struct OldCharge {
///     cents: u64,
///     #[serde(rename = "order.id")]
///     order_id: String,
/// }
///
/// #[migrate(workflow = fulfill, from = "charge")]
/// fn migrate_charge(old: OldCharge) -> Resume<fulfill> {
///     Resume::at(fulfill::Charge).with("total", &Money::cents(old.cents)).keep("order.id")
/// }
/// ```
///
/// The parameter is any type that is `Deserialize`; its fields are saved locals of the state. Locals that the function
/// does not need may be left out. The target state must await the same operation as the saved one. The function is
/// called only if the state cannot be resumed without it. It must be pure: it is called for each run, and `piton::lock`
/// calls it with generated values.
#[proc_macro_attribute]
pub fn migrate(arguments: TokenStream, item: TokenStream) -> TokenStream {
    let (arguments, item) = (arguments.into(), fragments::kept_together(item.into()));
    let root = Root::of(&arguments);
    root.applied(migrate::expand(arguments, item, Diagnostics::new())).into()
}
