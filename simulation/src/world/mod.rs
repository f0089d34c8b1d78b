//! One simulation: its shared state and its course.

use std::collections::{BTreeMap, BTreeSet};
use std::convert::Infallible;
use std::sync::atomic::AtomicI64;
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};
use std::time::Duration;

use fastrand::Rng;
use piton::client::Client;
use piton::filter;
use piton::model::{BlockedReason, RunStatus};
use piton::process::Process;
use piton::store::contract::*;
use piton::store::{MemoryStore, QueueLimits as SharedLimits, RunQuery};
use tokio::sync::{Notify, watch};
use tokio::time::{sleep, timeout};

use crate::faults::{Fault, Faults, Wire};
use crate::journal::Journal;
use crate::options::Options;
use crate::oracle::Oracle;
use crate::program::{PARTITIONED, QUEUES};
use crate::report::Report;
use crate::workflows::TimersChecked;
use crate::{notaries, operators, processes, runs, tenants, terms, timetables};

mod told;

/// How long the runs have to close once nothing goes wrong any more. Longer than all sleeps, leases and retries of a
/// program one after the other: the slowest of 178 seeds took 38 minutes.
const LONG_ENOUGH: Duration = Duration::from_secs(90 * 60);

/// The process that is neither killed nor paused.
const OUTSIDER: &str = "user";

/// How far a simulation has come.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Phase {
    /// Everything can go wrong.
    Faulty,
    /// Nothing goes wrong any more; what is open goes on.
    Calm,
    /// Workers are to shut down.
    Over,
}

/// What is drawn for a simulation as a whole.
#[derive(Debug)]
pub(crate) struct Plan {
    pub(crate) seed: u64,
    pub(crate) runs: usize,
    /// How many runs have terms.
    pub(crate) terms: usize,
    /// How many runs are started that share workflow ids.
    pub(crate) tenants: usize,
    /// How many schedules there are.
    pub(crate) timetables: usize,
    pub(crate) processes: usize,
    /// Whether the last of them serves nothing but the queue, and the others do not serve it.
    pub(crate) queue_is_apart: bool,
    pub(crate) faulty_for: Duration,
    /// A call takes up to this long even if nothing is wrong.
    pub(crate) latency: Duration,
    /// During how many of 1,000 calls the worker is asked to shut down.
    pub(crate) stops_in_calls: u64,
    pub(crate) lease: Duration,
    pub(crate) poll_interval: Duration,
    pub(crate) park_after: Duration,
    pub(crate) max_runs: usize,
    pub(crate) max_activities: usize,
    pub(crate) commit_lanes: usize,
    /// What a worker takes on of each queue.
    pub(crate) queues: [QueueLimits; QUEUES.len()],
    /// The builds of the program, by the definitions that they have changed.
    pub(crate) builds: Vec<Option<u32>>,
}

/// What a worker takes on of a queue.
#[derive(Clone, Copy, Debug)]
pub(crate) struct QueueLimits {
    /// How many attempts it makes at a time at most.
    pub(crate) places: usize,
    /// How many it begins in a second.
    pub(crate) per_second: Option<f64>,
}

impl QueueLimits {
    fn draw(rng: &mut Rng) -> Self {
        Self {
            places: [1, 3, 8, 8][rng.usize(0..4)],
            per_second: [None, None, Some(2.0), Some(10.0)][rng.usize(0..4)],
        }
    }
}

impl Plan {
    /// What a worker takes on of the queue with this name.
    pub(crate) fn limits_of(&self, queue: &str) -> QueueLimits {
        let place = QUEUES.iter().position(|name| *name == queue);
        self.queues[place.expect("there are no others")]
    }

    /// The limits over all workers of the queue with partitions.
    pub(crate) fn shared_limits(&self) -> SharedLimits {
        let none = SharedLimits::default();
        match self.seed % 4 {
            0 => none,
            1 => none.partition_concurrent(1),
            2 => none.partition_concurrent(2).max_concurrent(3),
            _ => none.max_concurrent(2).partition_rate(20, Duration::from_secs(1)),
        }
    }

    fn draw(options: &Options, rng: &mut Rng) -> Self {
        let runs = [1, 10, 50, 100, 200][rng.usize(0..5)];
        Self {
            seed: options.seed,
            runs: options.max_runs.unwrap_or(runs).min(runs),
            terms: [0, 2, 8][rng.usize(0..3)],
            tenants: [0, 3, 6][rng.usize(0..3)],
            timetables: [0, 0, 1, 2][rng.usize(0..4)],
            processes: rng.usize(1..=3),
            queue_is_apart: rng.bool(),
            faulty_for: Duration::from_secs(rng.u64(10..60)),
            latency: Duration::from_millis([0, 0, 2, 20][rng.usize(0..4)]),
            stops_in_calls: [0, 1, 5][rng.usize(0..3)],
            lease: Duration::from_secs([3, 5, 15][rng.usize(0..3)]),
            poll_interval: Duration::from_millis([500, 2_000, 5_000][rng.usize(0..3)]),
            park_after: Duration::from_millis([0, 500, 5_000, 60_000][rng.usize(0..4)]),
            max_runs: [1, 8, 10_000, 10_000][rng.usize(0..4)],
            max_activities: [1, 8, 1_000, 1_000][rng.usize(0..4)],
            commit_lanes: [1, 1, 3][rng.usize(0..3)],
            queues: std::array::from_fn(|_| QueueLimits::draw(rng)),
            builds: match rng.u32(0..4) {
                0 => vec![None, Some(rng.u32(0..64))],
                1 => vec![Some(rng.u32(0..64)), None, Some(rng.u32(0..64))],
                _ => vec![None],
            },
        }
    }
}

/// See the [module documentation](self).
#[derive(Debug)]
pub(crate) struct World {
    pub(crate) plan: Plan,
    pub(crate) faults: Faults,
    pub(crate) journal: Journal,
    /// A connection to the database that nothing happens to.
    pub(crate) database: Arc<MemoryStore>,
    /// Told when a process was killed.
    pub(crate) death: Notify,
    phase: Mutex<Phase>,
    /// Told when the phase has changed. A `watch` channel would wake its receivers in an order that
    /// no seed repeats.
    phase_changed: Notify,
    oracle: Mutex<Oracle>,
    /// The clients that runs can be started with and spoken to, by name of their process.
    clients: Mutex<BTreeMap<String, (Process, Client)>>,
    /// All processes that have lived.
    processes: Mutex<Vec<Life>>,
    /// How often a token was used.
    token_uses: AtomicI64,
    /// Told of each violation.
    violated: Notify,
    /// The tenants whose code was mended.
    mended: Mutex<BTreeSet<usize>>,
}

/// A process with a worker.
#[derive(Debug)]
struct Life {
    process: Process,
    name: String,
    /// Whether its build cannot make some steps.
    is_broken: bool,
}

/// Plays one simulation.
///
/// # Panics
/// Within a tokio runtime.
pub fn simulate(options: &Options) -> Report {
    let mut builder = tokio::runtime::Builder::new_current_thread();
    let runtime = builder.enable_time().start_paused(true).build();
    let runtime = runtime.expect("a runtime without I/O can always be built");
    runtime.block_on(play(options))
}

async fn play(options: &Options) -> Report {
    let mut rng = Rng::with_seed(options.seed);
    let plan = Plan::draw(options, &mut rng);
    let database = MemoryStore::new();
    database.repeat_run_ids(options.seed as u32);
    options.left_out.iter().for_each(|guard| database.leave_out(*guard));
    let world = Arc::new(World {
        plan,
        faults: Faults::draw(options, &mut rng),
        journal: Journal::new(options.is_recorded),
        database,
        death: Notify::new(),
        phase: Mutex::new(Phase::Faulty),
        phase_changed: Notify::new(),
        oracle: Mutex::default(),
        clients: Mutex::default(),
        processes: Mutex::default(),
        token_uses: AtomicI64::default(),
        violated: Notify::new(),
        mended: Mutex::default(),
    });
    let _checked = TimersChecked::by(&world);
    tokio::select! {
        biased;
        () = world.violated.notified(), if options.ends_when_violated => {}
        () = take_course(&world) => {}
    }
    Report::of(options, &world)
}

/// Everything that happens, from the start of the first process to the checks at the end.
async fn take_course(world: &Arc<World>) {
    world.add_outsider();
    let limits = world.plan.shared_limits();
    world.lock_oracle().limits_of_all(limits);
    let limited = world.database.limit_queue(PARTITIONED, limits).await;
    limited.expect("nothing happens to this connection");
    let slots: Vec<_> = (0..world.plan.processes)
        .map(|slot| tokio::spawn(processes::keep(Arc::clone(world), slot)))
        .collect();
    let others = (0..world.plan.terms)
        .map(|number| tokio::spawn(terms::live(Arc::clone(world), number)))
        .chain(
            (0..world.plan.tenants)
                .map(|number| tokio::spawn(tenants::live(Arc::clone(world), number))),
        )
        .chain(
            (0..world.plan.timetables)
                .map(|number| tokio::spawn(timetables::keep(Arc::clone(world), number))),
        );
    let mut others: Vec<_> = others.collect();
    others.push(tokio::spawn(notaries::complete_shared(Arc::clone(world))));
    for number in 0..2 {
        others.push(tokio::spawn(operators::redrive(Arc::clone(world), number)));
    }
    let runs: Vec<_> = (0..world.plan.runs)
        .map(|number| tokio::spawn(runs::live(Arc::clone(world), number)))
        .collect();
    sleep(world.plan.faulty_for).await;
    world.faults.end();
    world.journal.note("", format_args!("nothing goes wrong any more"));
    world.enter(Phase::Calm);

    let mut started = Vec::new();
    let closing = async {
        for run in runs {
            started.extend(run.await.ok());
        }
        for other in others {
            if other.await.is_err() {
                world.violate("a client has panicked".to_owned());
            }
        }
        while world.open_runs().await > 0 || world.faults.are_to_come() {
            runs::feed_strangers(world, &started).await;
            sleep(Duration::from_secs(1)).await;
        }
    };
    let closed = tokio::select! {
        biased;
        closed = timeout(LONG_ENOUGH, closing) => closed.is_ok(),
        never = world.keep_unblocking() => match never {},
    };
    world.enter(Phase::Over);
    for slot in slots {
        if timeout(LONG_ENOUGH, slot).await.is_err() {
            world.violate("a worker did not shut down".to_owned());
        }
    }
    if closed {
        runs::check_results(world, &started).await;
        terms::check_results(world).await;
        world.check_leftovers().await;
    } else {
        world.violate("what clients wait for does not come".to_owned());
    }
    world.lock_oracle().check_end();
}

impl World {
    /// How far the simulation has come.
    pub(crate) fn phase(&self) -> Phase {
        *self.phase.lock().unwrap_or_else(PoisonError::into_inner)
    }

    fn enter(&self, phase: Phase) {
        *self.phase.lock().unwrap_or_else(PoisonError::into_inner) = phase;
        self.phase_changed.notify_waiters();
    }

    /// Waits until workers are to shut down. Cancellation safe.
    pub(crate) async fn over(&self) {
        loop {
            let changed = self.phase_changed.notified();
            if self.phase() == Phase::Over {
                return;
            }
            changed.await;
        }
    }

    /// How long the next call takes even if nothing is wrong.
    pub(crate) fn latency(&self) -> Duration {
        if self.plan.latency == Duration::ZERO {
            return Duration::ZERO;
        }
        self.faults.duration(self.plan.latency)
    }

    /// Kills a process.
    pub(crate) fn kill(&self, process: &Process) {
        process.kill();
        self.death.notify_waiters();
    }

    /// Lets a process stand still for a while.
    pub(crate) fn pause(self: &Arc<Self>, who: &str, process: &Process) {
        let length = self.faults.duration(Duration::from_secs(40));
        self.faults.come_late(length);
        self.lock_oracle().stands_still(who);
        process.pause();
        let (world, who, process) = (Arc::clone(self), who.to_owned(), process.clone());
        tokio::spawn(async move {
            sleep(length).await;
            world.lock_oracle().stands_still(&who);
            process.resume();
        });
    }

    /// A process starts.
    pub(crate) fn add_life(&self, name: &str, process: &Process) {
        let is_broken = self.strikes(Fault::BrokenBuild);
        if is_broken {
            self.journal.note(name, format_args!("has a broken build"));
        }
        let life = Life { process: process.clone(), name: name.to_owned(), is_broken };
        self.lock_oracle().lives(name, process);
        self.lock_processes().push(life);
    }

    /// Whether the process that is being polled has a build that cannot make some steps.
    pub(crate) fn is_broken(&self) -> bool {
        self.phase() == Phase::Faulty && self.life(|life| life.is_broken) == Some(true)
    }

    /// Looks at the process that is being polled.
    fn life<T>(&self, look: impl FnOnce(&Life) -> T) -> Option<T> {
        let current = Process::current()?;
        // The last ones live.
        let processes = self.lock_processes();
        processes.iter().rev().find(|life| life.process == current).map(look)
    }

    /// Gives blocked runs another try, now that every build is in order.
    async fn keep_unblocking(&self) -> Infallible {
        // Some polls, after what went wrong has passed.
        let bound = 4 * self.plan.poll_interval + self.plan.lease + Duration::from_secs(2);
        let filter = filter::status().equals(RunStatus::Blocked);
        let running = filter::status().equals(RunStatus::Running);
        let (_, client) = self.lock_clients()[OUTSIDER].clone();
        loop {
            let mut blocked =
                self.database.list_runs(RunQuery::of(&filter)).await.unwrap_or_default();
            // What a build cannot read waits for another.
            blocked.retain(|run| matches!(run.blocked, Some(BlockedReason::Panicked(_))));
            for run in blocked {
                // It is asked again.
                let _ = client.unblock(run.run_id).await;
            }
            operators::resume_all(&self.database, &client).await;
            // A worker that has no room for a run leaves it to others.
            if self.has_room() {
                let running =
                    self.database.list_runs(RunQuery::of(&running)).await.unwrap_or_default();
                let now = self.database.clock();
                self.judge(|oracle| {
                    oracle.check_blocked(bound);
                    // One that had not begun begins when it was to, by a clock that may have been set back.
                    if self.faults.set_back() == 0 {
                        oracle.check_resumed(bound);
                    }
                    oracle.check_due(&running, now, self.bounds().polls);
                });
            }
            sleep(Duration::from_secs(1)).await;
        }
    }

    /// Mends the code of a tenant's run.
    pub(crate) fn mend(&self, tenant: usize) {
        self.mended.lock().unwrap_or_else(PoisonError::into_inner).insert(tenant);
    }

    /// Whether the code of a tenant's run was mended.
    pub(crate) fn is_mended(&self, tenant: usize) -> bool {
        self.mended.lock().unwrap_or_else(PoisonError::into_inner).contains(&tenant)
    }

    /// Has clients be chosen from this process too.
    pub(crate) fn add_client(&self, name: &str, process: Process, client: Client) {
        self.lock_clients().insert(name.to_owned(), (process, client));
    }

    /// Has clients no longer be chosen from this process.
    pub(crate) fn remove_client(&self, name: &str) {
        self.lock_clients().remove(name);
    }

    /// Some process that is not known to be dead, and its client.
    pub(crate) fn choose_client(&self) -> (Process, Client) {
        let clients = self.lock_clients();
        let chosen = self.faults.below(clients.len() as u64) as usize;
        clients.values().nth(chosen).cloned().expect("the outsider is always there")
    }

    /// A process without a worker that is neither killed nor paused.
    fn add_outsider(self: &Arc<Self>) {
        let connection = self.database.connect();
        let name = OUTSIDER.to_owned();
        let (stop, _) = watch::channel(false);
        let wire = Wire { world: Arc::clone(self), name: name.clone(), process: None, stop };
        connection.set_hook(Arc::new(wire));
        self.add_client(&name, Process::new(), Client::new(connection));
    }

    async fn open_runs(&self) -> u64 {
        let open =
            filter::status().one_of(RunStatus::ALL.into_iter().filter(|status| is_open(*status)));
        let counted = self.database.count_runs(&open, None).await.unwrap_or_default();
        counted.iter().map(|count| count.runs).sum()
    }

    /// Compares the inboxes of closed runs with the signals that they should keep.
    async fn check_leftovers(&self) {
        let expected = self.lock_oracle().leftovers();
        for (run_id, expected) in expected {
            let inbox = self.database.read_inbox(run_id, 0, u32::MAX).await.unwrap_or_default();
            let found: Vec<i64> = inbox.arrivals.iter().map(|arrival| arrival.seq).collect();
            if found != expected {
                self.violate(format!(
                    "{run_id} has closed with {found:?} in its inbox, not {expected:?}"
                ));
            }
        }
    }

    /// Sets the database's clock forward or back.
    pub(crate) fn jump(&self) {
        // By less than a lease, or by more than all of them together.
        let span = [10_000_000, 600_000_000][self.faults.below(2) as usize];
        let by = self.faults.below(2 * span) as i64 - span as i64;
        self.journal.note("", format_args!("the database's clock is set by {by} us"));
        self.faults.jump(by);
        self.lock_oracle().clock_is_set();
        self.database.move_clock(by);
    }

    /// Whether this fault strikes now, for faults that strike no call.
    pub(crate) fn strikes(&self, fault: Fault) -> bool {
        self.faults.strikes(fault)
    }

    fn lock_oracle(&self) -> MutexGuard<'_, Oracle> {
        self.oracle.lock().unwrap_or_else(PoisonError::into_inner)
    }

    fn lock_processes(&self) -> MutexGuard<'_, Vec<Life>> {
        self.processes.lock().unwrap_or_else(PoisonError::into_inner)
    }

    fn lock_clients(&self) -> MutexGuard<'_, BTreeMap<String, (Process, Client)>> {
        self.clients.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

fn is_open(status: RunStatus) -> bool {
    status.is_open()
}
