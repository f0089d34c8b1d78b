//! Runs the whole engine on one thread and on virtual time: several simulated processes, one in-memory database,
//! faults at every call between them, and a model of the expected behavior. Calls fail before or after they have
//! taken effect, and may take effect long after they have failed.
//!
//! Everything is drawn from a seed, and a seed always gives the same events. [`simulate`] plays one
//! seed: workers are started, paused, killed and shut down, also in the middle of a call, some of them
//! with builds that cannot make every step or that have changed some of the definitions, and clients start runs of generated programs, send them
//! signals, cancel and terminate them, pause, resume and unblock them, have them try again, and complete attempts with their tokens. Then the
//! faults end, and what is still open must close, though workers are still restarted. Violations are found by
//! - the `oracle`, which sees every row that is written, every attempt that begins and every
//!   timer that fires;
//! - the programs: the result of a run must be one that a plain execution could give;
//! - the end: no run may be left open.
//!
//! What must hold:
//! - no run is lost, none is started twice, no two with one workflow id are open, no step is committed twice or by one who does not own
//!   the run;
//! - arrivals are used up once, signals in their order, and none that was acknowledged is left out;
//! - what a worker owns without knowing, because an answer was lost, it finds within some polls, and before
//!   it takes others;
//! - what a run sends to another is delivered once, or is a dead letter once where no open run has the id, and
//!   comes in the order in which it was sent;
//! - a child is started once, after its parent's step is committed, unless an open run has its workflow id; a run that
//!   awaits a child is told once how it has ended; a child is treated once, by its policy, when its parent is over;
//! - a promise has one outcome, which somebody has given it, before its run is there or later; each wait for it is told
//!   once, and all are told the same;
//! - a run with terms is followed once, by the run that its close has named: a chain has as many runs as its retries and
//!   timeouts say, its runs by cron wait for their times and never overlap, and no run is closed before its deadline or twice;
//! - a run that is paused is given to nobody, and one that is to be paused makes no further step for a new owner; a resumed one
//!   goes on within some polls;
//! - a run that has failed goes on if it is told to, unless an open run has its workflow id; a run is started after no
//!   run that the policy of its start rules out;
//! - a schedule starts one run for each of its times and leaves none out, and its log says so;
//! - what is due is claimed within some polls, and no run is left to a worker without a lease;
//! - a run is stepped by no build that cannot read its state, which is blocked there, goes on soon where a
//!   build that has written it runs, and is not blocked again and again;
//! - no timer fires early, by the database's clock as it would be had nobody set it back;
//! - an attempt begins only after its state is committed, unless its run is relaxed: then by three
//!   steps at most, as its workflow says;
//! - a worker makes no more attempts at a time than it may;
//! - an attempt begins only while its process may believe that its lease is valid;
//! - no two attempts of a call have one number, whatever fails and whatever clocks show; in a relaxed
//!   run, of those that began when their state was committed;
//! - an activity is attempted as often as its policy says, and once more for each interruption; one
//!   that is `at_most_once`, once;
//! - what an activity writes in its transaction is there if it has succeeded, and is there once;
//! - an activity on a queue is given to one worker at a time, ends once, by one who has the right to
//!   end it, and leaves no row behind;
//! - a worker that is shut down begins no attempt, and hands back what it has been given and has not
//!   begun, unless the database refuses just that, runs that wait included; while nothing goes wrong with it, it interrupts nothing
//!   that ends in time, and leaves nothing behind that others would have to wait for;
//! - no attempt begins, goes on or is planned after the limit for all attempts of its call together;
//! - a token that is taken decides, on a queue or not, one that is refused does not; a sign of life that was written is
//!   known to the next attempt.
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
