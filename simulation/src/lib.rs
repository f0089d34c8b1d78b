//! Runs the whole engine on one thread and on virtual time: several simulated processes, one in-memory database,
//! faults at every call between them, and a model of the expected behavior. Calls fail before or after they have
//! taken effect, and may take effect long after they have failed.
//!
//! Everything is drawn from a seed, and a seed always produces the same events. [`simulate`] runs one seed: workers
//! are started, paused, killed and shut down, also in the middle of a call. Some of them have builds that cannot
//! make every step or have changed some of the definitions. Clients start runs of generated programs, send them
//! signals, cancel and terminate them, unblock them, and complete attempts with their tokens. Then the faults stop,
//! and all open runs must close, while workers are still restarted. Violations are found by
//! - the `oracle`, which sees every row that is written, every attempt that begins and every timer that fires;
//! - the programs: the result of a run must be one that a plain execution could return;
//! - the end: no run may be left open.
//!
//! The invariants:
//! - no run is lost or started twice, no two runs with one workflow id are open, and no step is committed twice or
//!   by a worker that does not own the run;
//! - arrivals are consumed once, signals in order, and no acknowledged signal is skipped;
//! - a worker that owns something without knowing it, because a response was lost, finds it within some polls, and
//!   before it takes other work;
//! - a message of a run is delivered once, or becomes one dead letter if no open run has the workflow id, and
//!   messages arrive in the order in which they were sent;
//! - a child is started once, after its parent's step is committed, unless an open run has its workflow id; its end
//!   is reported once to a run that awaits it; its policy is applied once, when its parent has closed;
//! - a promise has one outcome, given by a completion, which may come before its run exists; each wait gets the
//!   outcome once, and all get the same;
//! - a run with terms has one successor, the one that its close has named: a chain has as many runs as its retries
//!   and timeouts allow, runs of a cron expression never overlap, and no run is closed before its deadline or
//!   twice;
//! - a schedule starts one run for each of its times and skips none, and its log records that;
//! - due work is claimed within some polls, and no run stays with a worker without a lease;
//! - no build that cannot read a run's state makes a step of it; the run is blocked there, continues soon if a
//!   build that has written the state is running, and is not blocked repeatedly;
//! - no timer fires early, by the database's clock as if it had never been set back;
//! - an attempt begins only after its state is committed, unless its run is relaxed: then at most three steps
//!   earlier, the limit of its workflow;
//! - a worker makes at most its maximum number of attempts at a time;
//! - an attempt begins only while its process can assume that its lease is valid;
//! - no two attempts of a call have the same number, whatever fails and whatever clocks show; in a relaxed run,
//!   this applies to attempts that began after their state was committed;
//! - an activity is attempted as often as its policy allows, plus once for each interruption; an `at_most_once`
//!   activity is attempted once;
//! - the writes of an activity's transaction exist once if it has succeeded;
//! - a queued activity is assigned to one worker at a time, ends once, by someone with the right to end it, and
//!   leaves no row behind;
//! - a worker that shuts down begins no attempt, and releases what it owns and has not begun, including waiting
//!   runs, unless the database refuses that call; without faults, it interrupts nothing that ends in time, and
//!   leaves nothing for which others have to wait;
//! - no attempt begins, continues or is planned after the deadline of all attempts of its call;
//! - an accepted token decides, on a queue or not, and a refused one does not; the details of a written heartbeat
//!   reach the next attempt.
//!
//! A million runs of workflows, and one seed again with all its events:
//! ```sh
//! cargo run --release -p piton-simulation -- run --runs 1000000
//! cargo run --release -p piton-simulation -- replay 7 --about run-3
//! ```

mod clerks;
mod faults;
mod journal;
mod notaries;
pub mod options;
mod oracle;
mod processes;
pub mod program;
mod report;
mod runs;
mod shrink;
mod terms;
pub mod ties;
mod timetables;
mod workflows;
mod world;

pub use faults::Fault;
pub use options::Options;
pub use report::{Report, Totals};
pub use shrink::shrink;
pub use world::simulate;
