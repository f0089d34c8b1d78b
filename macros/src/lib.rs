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

/// Compiles an `async fn` into a durable state machine: after every `.await` its state is saved, and
/// after a crash it goes on from there.
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
/// Calling the function makes a `WorkflowCall`: started with a client it becomes a run of its own;
/// awaited in another workflow it becomes a part of that one's run. A type of the function's name
/// carries what is known of it, such as `fulfill::GRAPH`. That of a method has no name; its graph is
/// `Account::open(owner).graph()`.
///
/// The attribute may stand on functions and on methods with `self` by value in an `impl` block. If
/// the block is made by another macro, it stands on the block, too.
///
/// The first parameter may be `cx: &Context`. All others are stored, so they own their data.
///
/// | option | meaning | default |
/// |---|---|---|
/// | `name = "…"` | the stored name | the function's, with its type in front for a method |
/// | `formerly = "…"` | another stored name that it had, perhaps one of several: runs of that name are runs of it | |
/// | `version = 2` | which of several versions of one name it is | 1 |
/// | `allow(rule, …)` | these rules are not applied | |
/// | `warn(rule, …)` | breaking these rules is a warning | |
/// | `deny(rule, …)` | breaking these rules is an error | all rules but `repeated_state` |
/// | `strict` | free functions that are called must be [`#[deterministic]`](macro@deterministic) | off |
/// | `durability = "relaxed"` | the run goes on while its state is being written | `"strict"` |
/// | `max_steps_ahead = 16` | how many steps a relaxed run may make that are not on disk | 16 |
/// | `id = "order-{order.id}"` | the workflow id of a run that is started without another: a pattern with parameters and their fields, of which `fulfill::workflow_id(&order)` makes an id as well | the run id |
/// | `history = 10` | how many past states of a run are kept, to go back to or to look at | none |
/// | `crate = "…"` | the path of this crate, where another one re-exports it | its name in `Cargo.toml` |
///
/// # Durability
/// *Strict*: a step's state is on disk before anything that the step asks for begins. After a crash,
/// only attempts that were under way are made again.
///
/// *Relaxed*: the run goes on while the database writes, by up to `max_steps_ahead` steps. After a
/// crash it goes back to the last state on disk and makes the steps since then again, at most that
/// many, with the activities that they asked for. The activities that the state on disk itself asks for
/// are made again as well, under way or over: where one follows another, `max_steps_ahead` + 1 in all.
/// What others can see is as in a strict workflow: a result is on disk
/// before anybody gets it, a signal is taken from the inbox only with the state that has used it, and
/// an activity that is `at_most_once` or has a `transaction` keeps its promise, since the run waits
/// for the database before it begins. A clean shutdown repeats nothing.
///
/// # In the body
/// | attribute | on | meaning |
/// |---|---|---|
/// | `#[state("…")]` | a statement or expression with one await, a branch of `select!`, `join!` or `try_join!` | the stored name |
/// | `#[formerly("…")]` | a `let` statement with one variable | another name that it had: saved states have its value under that name |
/// | `#[expose]` | a `let` statement with one variable | it is saved in every state to the end of its scope, and can be read from outside by its name: [`#[query]`](macro@query), `client.by_id(…).variable(…)` |
/// | `#[redact]` | a `let` statement, a parameter | people who look at a run do not see the values of the variables, nor what a loop or an expression keeps of them; what is computed from them is seen |
///
/// What a workflow cannot do, why, and what to write instead is in `docs/limits.md`, rule by rule.
/// With `PITON_EXPAND=1`, or the function's name in place of `1`, the compiler prints the machine.
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
/// other workflows needs no registration. Each instance has a stored name of its own, which every
/// program that serves its runs must agree on: the workflow's with the types as written here,
/// without the modules that they are in (`relay<Order>`), unless `name = "…"` gives another.
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
/// Calling the function makes an `ActivityCall`, which runs when a workflow awaits it: the arguments
/// are encoded at the call, so they may be references. A function that returns `T` gives `T`, and a
/// failure of the engine (a timeout, a panic) then fails the run. A function that returns
/// `Result<T, E>` gives `Result<T, ActivityError<E>>`. Whether an error is worth another attempt is
/// said by `Retryable`, if its type implements that, and by `non_retryable`. A panic is tried again as
/// an error is.
///
/// The first parameter may be `cx: &ActivityContext`. It is not a part of the call.
///
/// The attribute may also stand on functions in an `impl` block without type parameters, and on methods
/// that take `self` by value or by reference, which is then encoded with the arguments:
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
/// They are stored as `Shop::charge`. If the block is made by another macro, the attribute stands on
/// the block, too.
///
/// | option | meaning | default |
/// |---|---|---|
/// | `name = "…"` | the stored name | the function's, with its type in front for a method |
/// | `start_to_close = "30s"` | how long one attempt may take | no limit |
/// | `schedule_to_close = "1h 30m"` | how long all attempts may take, with the waits between | no limit |
/// | `schedule_to_start = "5m"` | how long an attempt may wait for its turn | no limit |
/// | `heartbeat = "10s"` | how long an attempt may be silent, see below | no limit |
/// | `delay = "10m"` | how long after the call the first attempt is due | at once |
/// | `queue = "gpu"` | the queue whose workers attempt it, see below | the run's own worker |
/// | `priority = 5` | calls on a queue with a higher one are attempted first | 0 |
/// | `partition = "{tenant}"` | the partition of the queue, see [the guide](https://docs.rs/piton) | none |
/// | `retry(initial = "1s")` | the wait before the second attempt | 1 s |
/// | `retry(backoff = 2.0)` | what each further wait is multiplied by | 2.0 |
/// | `retry(max_interval = "1m")` | the longest wait | 100 × `initial` |
/// | `retry(max_attempts = 5)` | attempts in all; 0 is no limit | 0 |
/// | `retry(jitter = 0.1)` | by which part a wait may be shortened at random | 0.1 |
/// | `retry(non_retryable = [CardError::Declined { .. }])` | errors, as patterns, that are final | none |
/// | `retry(panics = false)` | that a panic is final | a panic is tried again |
/// | `at_most_once` | never attempted twice, see below | off |
/// | `transaction` | what it writes to the database is committed with its outcome, see below | off |
/// | `max_concurrent = 8` | how many attempts one worker makes at a time | no limit |
/// | `blocking` | the function is no `async fn` and may block its thread | off |
/// | `crate = "…"` | the path of this crate, where another one re-exports it | its name in `Cargo.toml` |
///
/// # How often it is carried out
/// At least once: if the worker dies during an attempt, another attempt is made, with the same
/// `cx.idempotency_key()`. An `at_most_once` activity is never attempted again. Its errors are final,
/// and if its worker died the workflow gets `ActivityError::OutcomeUnknown`: it may have had its
/// effect, or not. That is also what it gets in the rare case that the worker died just before.
///
/// # Queues
/// Without a queue, an activity is attempted by the worker that owns the run. On a queue it becomes a
/// row, in the commit that asks for it, and any worker that serves the queue
/// (`Worker::new(&client).queue("gpu")`) takes it, in whatever process. Its outcome comes to the run
/// exactly once. When the workflow gives the call up, or the run closes, the row goes and the running
/// function is told (`cx.cancelled()`). A call may name its queue itself: `charge(..).queue("eu")`.
///
/// # Signs of life
/// `cx.heartbeat(&progress)` says that an attempt is alive, and what the next one is to know of it
/// (`cx.last_heartbeat()`). With `heartbeat = "10s"` an attempt that is silent for longer is given up
/// and tried again.
///
/// # Ending elsewhere
/// An activity may hand out `cx.token()` and end with `cx.complete_later().await`. Whoever has the token
/// completes the attempt from anywhere, with `client.complete_activity::<approve>(..)`, or fails it,
/// also when the worker that began it has died.
///
/// # Transactions
/// A `transaction` activity writes into the database that holds the runs, in a transaction of its own:
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
/// `&mut SqliteConnection`, whichever database the worker uses; with the other one the run fails. When
/// the function returns a value, what it wrote and that value become durable together, under the same
/// guard as every step: however often it is attempted, whatever dies, its writes are there exactly
/// once. An error, a panic or a timeout rolls them back, and then it is tried again as usual.
///
/// It must be short, because others wait for what it holds: on SQLite nobody else can write, on
/// Postgres it has one of the worker's connections. Unless it says otherwise, `start_to_close` is 5 s.
/// On SQLite no lease can be renewed meanwhile, by no worker that uses the file: with a longer
/// `start_to_close`, give them all a lease (`Worker::lease`, 15 s by default) of twice that at least.
/// It must not end the transaction itself. A call that is given up, as by `select!`, is rolled back,
/// unless its commit is under way: then its writes are there once, and the workflow goes on without
/// the value that came with them.
///
/// # Blocking
/// A `blocking` function runs on a thread for such functions, of which a worker uses a limited number
/// (`Worker::max_blocking`). A thread cannot be stopped: after a timeout or a request to cancel, the
/// function goes on to its end, unheard, and another attempt may begin meanwhile.
///
/// # Tests
/// The body itself is an associated function of the type of the same name, with the parameters as
/// written, the context included: `charge::call(&cx, "order-42", 1_200).await`. That of a method is
/// beside it: `Shop::call_charge("order-42", 1_200).await`.
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
/// The stored name is that of the type unless `#[signal(name = "…")]` gives another.
#[proc_macro_derive(Signal, attributes(signal))]
pub fn signal(item: TokenStream) -> TokenStream {
    let item = item.into();
    let root = Root::of(&item);
    root.applied(signal::expand(item, Diagnostics::new())).into()
}

/// Makes the fields of a struct attributes of a run, by which filters find it.
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
/// A `String` is a keyword, of at most 1,000 bytes, and with `#[attribute(text)]` a text, of at most 32 KiB. A
/// `Vec<String>` is a list of keywords. Integers of at most 64 bits with a sign, floats, `bool` and `Timestamp` are what
/// they are. An `Option` that is `None` unsets the attribute. The name is that of the field unless
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
/// | `name = "…"` | the stored name | that of the type |
/// | `reply = …` | the type of the answer | `()` |
/// | `error = …` | the type of the error that it may be refused with | `Never`: it cannot be refused |
/// | `crate = "…"` | the path of this crate, where another one re-exports it | its name in `Cargo.toml` |
#[proc_macro_derive(Update, attributes(update))]
pub fn update(item: TokenStream) -> TokenStream {
    let item = item.into();
    let root = Root::of(&item);
    root.applied(update::expand(item, Diagnostics::new())).into()
}

/// Lets a function be asked about a run from outside: a pure function of variables that its workflow exposes.
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
/// The first parameters are exposed variables, each by its name and by a reference to its type (a text is `&String`);
/// from the first one on that is no such reference, they are arguments. That the workflow exposes the variables is
/// checked by the compiler. The function stays an ordinary one, and a type of its name is put beside it, whose function
/// `args` takes the arguments. It is carried out in the process that asks, on the state that the last commit of the run
/// has left.
///
/// `crate = "…"` behind the workflow is the path of this crate, where another one re-exports it.
#[proc_macro_attribute]
pub fn query(arguments: TokenStream, item: TokenStream) -> TokenStream {
    let (arguments, item) = (arguments.into(), fragments::kept_together(item.into()));
    let root = Root::of(&arguments);
    root.applied(query::expand(arguments, item, query::Kind::Query, Diagnostics::new())).into()
}

/// Has a function look at updates before they are sent.
///
/// ```ignore
/// #[validator(order)]
/// fn in_stock(request: &AddItem, cart: &Cart) -> Result<(), OutOfStock> {
///     if cart.is_full() { Err(OutOfStock) } else { Ok(()) }
/// }
/// ```
///
/// The first parameter is the update, the others are exposed variables, as those of a [`query`](macro@query). The error
/// is that of the update. The function is carried out in the process that sends the update, if that has it, on the state
/// that the last commit of the run has left, and before anything is written: what it refuses, the run never hears of. By
/// the time that the run takes the update, its state may be another, so it has to check by itself what must hold. A run
/// that does not have the variables yet is not looked at, nor is an update whose id was accepted before.
#[proc_macro_attribute]
pub fn validator(arguments: TokenStream, item: TokenStream) -> TokenStream {
    let (arguments, item) = (arguments.into(), fragments::kept_together(item.into()));
    let root = Root::of(&arguments);
    let kind = query::Kind::Validator;
    root.applied(query::expand(arguments, item, kind, Diagnostics::new())).into()
}

/// Checks a function that workflows call by the same rules as their bodies, and leaves it as it is.
///
/// ```ignore
/// #[deterministic]
/// fn total(order: &Order) -> u64 {
///     order.lines.iter().map(|line| line.cents).sum()
/// }
/// ```
///
/// A `#[workflow(strict)]` calls no free function without it. Beside a free function it emits an
/// empty type of the same name, by which the workflow knows it; a method with `self` is only
/// checked. It takes `allow(…)`, `warn(…)` and `deny(…)` as [`#[workflow]`](macro@workflow) does.
#[proc_macro_attribute]
pub fn deterministic(arguments: TokenStream, item: TokenStream) -> TokenStream {
    let (arguments, item) = (arguments.into(), fragments::kept_together(item.into()));
    let root = Root::of(&arguments);
    root.applied(deterministic::expand(arguments, item, Diagnostics::new())).into()
}

/// Carries runs over that are parked in a state which does not fit the code of today.
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
/// The parameter is any type that is `Deserialize`; its fields are the locals that the state has saved, as far as they
/// are needed. The state to go on at must await what the saved one did. The function is asked only if the state does not
/// fit without it. It must give the same each time, and have no effect: it is called again for each run, and with made-up
/// values by `piton::lock`, which prints the struct.
#[proc_macro_attribute]
pub fn migrate(arguments: TokenStream, item: TokenStream) -> TokenStream {
    let (arguments, item) = (arguments.into(), fragments::kept_together(item.into()));
    let root = Root::of(&arguments);
    root.applied(migrate::expand(arguments, item, Diagnostics::new())).into()
}
