//! Faults: their kinds, their frequency, and their effect on a call of the store.

use std::collections::{BTreeMap, BTreeSet};
use std::fmt;
use std::io;
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};
use std::time::Duration;

use async_trait::async_trait;
use fastrand::Rng;
use piton::error::StoreError;
use piton::model::Timestamp;
use piton::process::Process;
use piton::store::WorkerLease;
use piton::store::memory::{Held, Hook, Late, Write};
use tokio::sync::watch;
use tokio::time::{Instant, sleep};

use crate::options::Options;
use crate::world::World;

/// A kind of fault.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, clap::ValueEnum)]
pub enum Fault {
    /// A call fails without an effect.
    ErrorBefore,
    /// A call fails after its effect.
    ErrorAfter,
    /// A call fails and takes effect long after.
    Late,
    /// A call is refused with an error that a retry does not cure at once, without an effect.
    Refusal,
    /// A call is slow, before or after its effect.
    Delay,
    /// A process is killed at a random instant.
    Crash,
    /// A process is killed during a call, before or after its effect.
    CrashInCall,
    /// A process is stopped for a while.
    Pause,
    /// A process is stopped during a call, before or after its effect.
    PauseInCall,
    /// The database is unreachable for a while.
    Outage,
    /// A live process counts as dead.
    Disconnect,
    /// A notification of another process is lost.
    LostNews,
    /// A notification of another process arrives late, after later ones.
    LateNews,
    /// The database's clock is set forward or back.
    ClockJump,
    /// A process runs a build that cannot make some steps.
    BrokenBuild,
    /// An attempt is not completed from outside as expected.
    LazyClerk,
}

impl Fault {
    /// All of them.
    pub const ALL: [Self; 16] = [
        Self::ErrorBefore,
        Self::ErrorAfter,
        Self::Late,
        Self::Refusal,
        Self::Delay,
        Self::Crash,
        Self::CrashInCall,
        Self::Pause,
        Self::PauseInCall,
        Self::Outage,
        Self::Disconnect,
        Self::LostNews,
        Self::LateNews,
        Self::ClockJump,
        Self::BrokenBuild,
        Self::LazyClerk,
    ];

    /// For faults of calls and notifications: the maximum rate, per 1,000 cases. For faults of processes: the weight
    /// relative to the others.
    fn at_most(self) -> u32 {
        match self {
            Self::ErrorBefore | Self::ErrorAfter | Self::Late => 100,
            Self::Delay => 50,
            Self::LostNews | Self::LateNews | Self::BrokenBuild => 500,
            // Few activities hand out tokens.
            Self::LazyClerk => 900,
            Self::Refusal | Self::CrashInCall | Self::PauseInCall => 10,
            Self::Crash | Self::Pause | Self::Outage | Self::Disconnect | Self::ClockJump => 1_000,
        }
    }
}

impl fmt::Display for Fault {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let value = clap::ValueEnum::to_possible_value(self);
        f.write_str(value.as_ref().map_or("?", |value| value.get_name()))
    }
}

/// Decides when faults strike.
#[derive(Debug)]
pub(crate) struct Faults {
    drawing: Mutex<Drawing>,
    without: BTreeSet<Fault>,
    max_faults: u64,
}

#[derive(Debug)]
struct Drawing {
    rng: Rng,
    /// Rates per 1,000; faults that this seed does not use are missing.
    rates: BTreeMap<Fault, u32>,
    struck: BTreeMap<Fault, u64>,
    is_over: bool,
    outage_until: Option<Instant>,
    /// When the last late call takes effect.
    late_until: Option<Instant>,
    /// By how many microseconds the clock has been set back in all.
    set_back: i64,
}

impl Drawing {
    fn count(&self) -> u64 {
        self.struck.values().sum()
    }
}

impl Faults {
    /// Draws which faults there are and how often. Few kinds often finds more than all kinds at
    /// once, which hide each other.
    pub(crate) fn draw(options: &Options, rng: &mut Rng) -> Self {
        let share = rng.u32(0..=4);
        let mut rates = BTreeMap::new();
        for fault in Fault::ALL {
            let rate = rng.u32(1..=fault.at_most());
            if rng.u32(0..4) < share {
                rates.insert(fault, rate);
            }
        }
        let drawing = Drawing {
            rng: rng.fork(),
            rates,
            struck: BTreeMap::new(),
            is_over: false,
            outage_until: None,
            late_until: None,
            set_back: 0,
        };
        Self {
            drawing: Mutex::new(drawing),
            without: options.without.clone(),
            max_faults: options.max_faults.unwrap_or(u64::MAX),
        }
    }

    /// Whether this fault strikes now.
    pub(crate) fn strikes(&self, fault: Fault) -> bool {
        let mut drawing = self.lock();
        let Some(rate) = drawing.rates.get(&fault).copied() else { return false };
        if drawing.is_over || self.without.contains(&fault) {
            return false;
        }
        let strikes = drawing.rng.u32(0..1_000) < rate;
        if strikes && drawing.count() >= self.max_faults {
            return false;
        }
        if strikes {
            *drawing.struck.entry(fault).or_default() += 1;
        }
        strikes
    }

    /// A duration up to `longest`, short ones being as likely as long ones.
    pub(crate) fn duration(&self, longest: Duration) -> Duration {
        let drawn = self.lock().rng.f64();
        longest.mul_f64(drawn * drawn * drawn)
    }

    /// A number below `limit`.
    pub(crate) fn below(&self, limit: u64) -> u64 {
        self.lock().rng.u64(0..limit)
    }

    /// Ends all faults.
    pub(crate) fn end(&self) {
        let mut drawing = self.lock();
        (drawing.is_over, drawing.outage_until) = (true, None);
    }

    /// Makes the database unreachable.
    pub(crate) fn begin_outage(&self, length: Duration) {
        self.lock().outage_until = Some(Instant::now() + length);
    }

    /// Records that a failed call may take effect after this time.
    pub(crate) fn come_late(&self, after: Duration) {
        // Timers go by whole milliseconds.
        let until = Instant::now() + after + Duration::from_millis(1);
        let mut drawing = self.lock();
        drawing.late_until = drawing.late_until.max(Some(until));
    }

    /// Whether calls without a caller may still take effect: those that have failed, and those of stopped processes.
    pub(crate) fn are_to_come(&self) -> bool {
        self.lock().late_until.is_some_and(|until| Instant::now() <= until)
    }

    /// Sets the database's clock, by microseconds.
    pub(crate) fn jump(&self, by: i64) {
        self.lock().set_back += by.min(0).abs();
    }

    /// By how many microseconds the clock has been set back in all.
    pub(crate) fn set_back(&self) -> i64 {
        self.lock().set_back
    }

    /// How many faults have struck.
    pub(crate) fn count(&self) -> u64 {
        self.lock().count()
    }

    /// How often each fault struck.
    pub(crate) fn struck(&self) -> BTreeMap<Fault, u64> {
        self.lock().struck.clone()
    }

    fn is_out(&self) -> bool {
        self.lock().outage_until.is_some_and(|until| Instant::now() < until)
    }

    fn lock(&self) -> MutexGuard<'_, Drawing> {
        // Every operation leaves the map consistent, so a poisoned lock is harmless.
        self.drawing.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

/// The first call of a worker's poll.
const FIRST_OF_A_LOOK: &str = "fence_expired_workers";

/// The maximum delay of a failed call that takes effect. Workers look for the effects of such calls.
const LATEST: Duration = Duration::from_secs(100);

/// The connection of one process to the database, with its faults.
pub(crate) struct Wire {
    pub(crate) world: Arc<World>,
    /// The name of the process.
    pub(crate) name: String,
    /// The process; `None` for one without faults.
    pub(crate) process: Option<Process>,
    /// Asks its worker to shut down.
    pub(crate) stop: watch::Sender<bool>,
}

impl Wire {
    async fn strike(&self, operation: &'static str, when: &str) -> Result<(), StoreError> {
        let faults = &self.world.faults;
        let latency = self.world.latency();
        if latency > Duration::ZERO {
            sleep(latency).await;
        }
        let note = |what: &str| {
            self.world.journal.note(&self.name, format_args!("{what} {when} {operation}"));
        };
        if let Some(process) = &self.process {
            if faults.below(1_000) < self.world.plan.stops_in_calls {
                note("is asked to shut down");
                self.stop.send_replace(true);
                // Long enough for the notification to arrive before the response.
                sleep(Duration::from_millis(1)).await;
            }
            if faults.strikes(Fault::CrashInCall) {
                note("is killed");
                self.world.kill(process);
                std::future::pending::<()>().await;
            }
            if faults.strikes(Fault::PauseInCall) {
                note("stands still");
                self.world.pause(&self.name, process);
                tokio::task::yield_now().await;
            }
        }
        if faults.strikes(Fault::Delay) {
            note("waits");
            let length = faults.duration(Duration::from_secs(30));
            faults.come_late(length);
            self.world.trouble(&self.name, length);
            sleep(length).await;
        }
        Ok(())
    }

    fn fail(&self, operation: &'static str, what: &str, retryable: bool) -> StoreError {
        self.world.journal.note(&self.name, format_args!("{what} {operation}"));
        self.world.fails(&self.name, operation);
        let source = io::Error::from(io::ErrorKind::ConnectionReset).into();
        StoreError::Database { operation, retryable, source }
    }
}

#[async_trait]
impl Hook for Wire {
    async fn before(&self, operation: &'static str) -> Result<(), StoreError> {
        if operation == FIRST_OF_A_LOOK {
            self.world.looks_around(&self.name);
        }
        self.strike(operation, "before").await?;
        if self.world.faults.is_out() {
            return Err(self.fail(operation, "is cut off, asking for", true));
        }
        if self.world.faults.strikes(Fault::ErrorBefore) {
            return Err(self.fail(operation, "has an error before", true));
        }
        if self.world.faults.strikes(Fault::Refusal) {
            return Err(self.fail(operation, "is refused", false));
        }
        Ok(())
    }

    fn late(&self, operation: &'static str) -> Option<Late> {
        if !self.world.faults.strikes(Fault::Late) {
            return None;
        }
        let after = self.world.faults.duration(LATEST);
        self.world.faults.come_late(after);
        let error = self.fail(operation, &format!("fails, and has happen {after:?} later,"), true);
        let (world, name) = (Arc::clone(&self.world), self.name.clone());
        Some(Late { after, error, hook: Arc::new(Afterwards { world, name }) })
    }

    async fn after(&self, operation: &'static str) -> Result<(), StoreError> {
        self.strike(operation, "after").await?;
        if self.world.faults.strikes(Fault::ErrorAfter) {
            return Err(self.fail(operation, "has an error after", true));
        }
        Ok(())
    }

    fn holds(&self, worker: WorkerLease, held: Held<'_>) {
        self.world.holds(&self.name, worker, held);
    }

    fn wrote(&self, now: Timestamp, write: &Write<'_>) {
        self.world.wrote(&self.name, now, write);
    }

    fn news_delay(&self) -> Option<Duration> {
        let faults = &self.world.faults;
        if faults.strikes(Fault::LostNews) {
            self.world.journal.note(&self.name, format_args!("misses news"));
            return None;
        }
        let late = faults.strikes(Fault::LateNews);
        Some(if late { faults.duration(Duration::from_secs(3)) } else { Duration::ZERO })
    }
}

/// The hook for calls that take effect long after they have failed.
struct Afterwards {
    world: Arc<World>,
    /// The name of the process that has made the call.
    name: String,
}

#[async_trait]
impl Hook for Afterwards {
    fn wrote(&self, now: Timestamp, write: &Write<'_>) {
        self.world.wrote_late(&self.name, now, write);
    }
}
