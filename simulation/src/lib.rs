//! Runs the whole engine on one thread and on virtual time: several simulated processes, one in-memory database, faults
//! at every call between them, and a model of the expected behavior. Calls fail before or after their effect, and may
//! take effect long after they have failed.
//!
//! Everything is drawn from a seed, and a seed always gives the same events. [`simulate`] plays one seed: workers are
//! started, paused, killed and shut down, also in the middle of a call, some of them with builds that cannot make every
//! step or that have changed definitions. Clients start runs of generated programs, send them signals, cancel,
//! terminate, pause, resume, unblock and retry them, and complete attempts with their tokens. Then the faults end, and
//! all open runs must close, though workers are still restarted. Violations are found by
//! - the `oracle`, which sees every row that is written, every attempt that begins and every
//!   timer that fires;
//! - the programs: the result of a run must be one that a plain execution could give;
//! - the end: no run may be left open.
//!
//! The properties:
//! - no run is lost or started twice, no two open runs have the same workflow id, and each step is committed once, by
//!   the owner of the run;
//! - arrivals are consumed once, signals in order, and no acknowledged signal is lost;
//! - a worker finds the runs that it owns without knowing, because a response was lost, within some polls, and before
//!   it takes others;
//! - a message from run to run is delivered once, or becomes a dead letter once if no open run has the id, and messages
//!   arrive in the order in which they were sent;
//! - a child is started once, after its parent's step is committed, unless an open run has its workflow id; a run that
//!   awaits a child gets its end once; when the parent ends, the policy is applied to each child once;
//! - a promise has one outcome, given by somebody, before its run exists or later; each wait gets it once, and all get
//!   the same;
//! - a run with terms has one successor, the one that its close has named: a chain has as many runs as its retries and
//!   timeouts require, its runs by cron wait for their times and never overlap, and no run is closed twice or before its deadline;
//! - a paused run is assigned to no worker, a run with a requested pause makes no step for a new owner, and a resumed
//!   run continues within some polls;
//! - a retried run continues, unless an open run has its workflow id; no run is started after a run that the policy of
//!   its start rules out;
//! - a schedule starts one run for each of its times, and its log says so;
//! - due runs are claimed within some polls, and no run stays with a worker without a lease;
//! - a build that cannot read the state of a run blocks the run; the run continues soon where a build that can read it
//!   runs, and is not blocked repeatedly;
//! - no timer fires early, by the database's clock as it would be had nobody set it back;
//! - an attempt begins only after its state is committed, unless its run is relaxed: then by three
//!   steps at most, as its workflow says;
//! - a worker makes no more concurrent attempts than its limits allow;
//! - an attempt begins only while its process may believe that its lease is valid;
//! - no two attempts of a call have the same number; in a relaxed run, this holds for attempts that began after the
//!   commit of their state;
//! - an activity is attempted as often as its policy says, and once more for each interruption; one
//!   that is `at_most_once`, once;
//! - the writes of a transactional activity exist once if it has succeeded;
//! - an activity on a queue is assigned to one worker at a time, ends once, by a permitted reporter, and leaves no row;
//! - a worker that shuts down begins no attempt, and releases the activities that it has not begun and its waiting
//!   runs, unless the database refuses that; without faults, it interrupts nothing that ends in time, and leaves
//!   nothing that others would have to wait for;
//! - no attempt begins, continues or is planned after the limit of all attempts of its call;
//! - an accepted token decides the outcome, on a queue or not, and a refused one does not; the next attempt gets the
//!   details of every written heartbeat.
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
mod operators;
pub mod options;
mod oracle;
mod processes;
pub mod program;
mod report;
mod runs;
mod shrink;
mod tenants;
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
