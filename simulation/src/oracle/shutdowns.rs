//! The oracle's record of workers that shut down, and of what prevents a clean shutdown.
//!
//! The properties depend on the faults of the process. A worker begins nothing after it has received the request.
//! Without interruptions, it releases the attempts that it has not begun, unless the database refuses that. Without
//! recent faults, it interrupts no attempt that ends in time.

use std::collections::BTreeMap;
use std::time::Duration;

use tokio::time::Instant;

/// The time in which attempts may end by themselves when their worker shuts down.
const GRACE: Duration = Duration::from_secs(10);

/// See the [module documentation](self).
#[derive(Debug, Default)]
pub(super) struct Shutdowns {
    /// The processes that shut down or have shut down.
    begun: BTreeMap<String, Shutdown>,
    /// When the last fault of a process has ended or will end.
    troubled_at: BTreeMap<String, Instant>,
    /// When the database's clock was last set, which affects all processes.
    clock_set_at: Option<Instant>,
}

/// The attempts that a process makes.
#[derive(Clone, Copy, Debug)]
pub(super) struct Running {
    /// How many.
    pub(super) count: u32,
    /// When an attempt last began or ended.
    pub(super) until: Instant,
}

#[derive(Debug)]
struct Shutdown {
    since: Instant,
    /// Whether the process had no fault since the shutdown began, nor so shortly before that effects may follow.
    is_in_order: bool,
    /// Whether the process was stopped, perhaps before its worker received the request.
    has_stood_still: bool,
    /// Whether the database has refused a release, or its response may be wrong.
    may_keep: bool,
}

/// The calls by which a worker releases attempts that have not begun.
const HANDING_BACK: [&str; 2] = ["review_activities", "finish_activities"];

impl Shutdowns {
    /// The process `who` begins to shut down. For as long as `aftermath` something may follow from
    /// what was wrong with it.
    pub(super) fn begin(&mut self, who: &str, aftermath: Duration) {
        let since = Instant::now();
        let troubles = self.troubled_at.get(who).into_iter().chain(&self.clock_set_at);
        let is_in_order = troubles.max().is_none_or(|at| since.duration_since(*at) > aftermath);
        let shutdown = Shutdown { since, is_in_order, has_stood_still: false, may_keep: false };
        self.begun.insert(who.to_owned(), shutdown);
    }

    /// A call of a process fails.
    pub(super) fn fail(&mut self, who: &str, operation: &str) {
        self.trouble(who, Duration::ZERO);
        if HANDING_BACK.contains(&operation) {
            self.begun.get_mut(who).into_iter().for_each(|shutdown| shutdown.may_keep = true);
        }
    }

    /// Something is wrong with a process for so long: a call takes its time, or it counts as dead.
    pub(super) fn trouble(&mut self, who: &str, length: Duration) {
        let until = Instant::now() + length;
        let troubled_at = self.troubled_at.entry(who.to_owned()).or_insert(until);
        *troubled_at = until.max(*troubled_at);
        self.begun.get_mut(who).into_iter().for_each(|shutdown| shutdown.is_in_order = false);
    }

    /// A call of a process that had failed is carried out. If it gives the process something, nobody can
    /// know.
    pub(super) fn comes_late(&mut self, who: &str) {
        if let Some(shutdown) = self.begun.get_mut(who) {
            (shutdown.is_in_order, shutdown.may_keep) = (false, true);
        }
    }

    /// A process stands still.
    pub(super) fn stand_still(&mut self, who: &str) {
        self.trouble(who, Duration::ZERO);
        self.begun.get_mut(who).into_iter().for_each(|shutdown| shutdown.has_stood_still = true);
    }

    /// The database's clock is set.
    pub(super) fn set_clock(&mut self) {
        self.clock_set_at = Some(Instant::now());
        for shutdown in self.begun.values_mut() {
            (shutdown.is_in_order, shutdown.may_keep) = (false, true);
        }
    }

    /// Whether the process shuts down or has shut down in order.
    pub(super) fn is_in_order(&self, who: &str) -> bool {
        self.begun.get(who).is_some_and(|shutdown| shutdown.is_in_order)
    }

    /// How long the process has been shutting down, if it does so in order.
    pub(super) fn in_order_for(&self, who: &str) -> Option<Duration> {
        let shutdown = self.begun.get(who).filter(|shutdown| shutdown.is_in_order);
        shutdown.map(|shutdown| shutdown.since.elapsed())
    }

    /// Whether the process must release everything that it has not begun, if it interrupts nothing.
    pub(super) fn keeps_nothing(&self, who: &str) -> bool {
        self.begun.get(who).is_some_and(|shutdown| !shutdown.may_keep)
    }

    /// Whether a process that shuts down in order interrupts attempts though none is made. `running`
    /// tells how many it makes, or since when it makes none.
    pub(super) fn interrupts_nothing(&self, who: &str, running: Option<Running>) -> bool {
        let shutdown = self.begun.get(who).filter(|shutdown| shutdown.is_in_order);
        shutdown.is_some_and(|shutdown| match running {
            None => true,
            Some(Running { count, until }) => count == 0 && until < shutdown.since + GRACE,
        })
    }

    /// Whether a process had no fault for this time, and does not shut down.
    pub(super) fn has_served_for(&self, who: &str, time: Duration) -> bool {
        let troubled_at = self.troubled_at.get(who).into_iter().chain(&self.clock_set_at).max();
        !self.begun.contains_key(who) && troubled_at.is_none_or(|at| at.elapsed() > time)
    }

    /// Whether a process must have received the request to begin nothing more, even with faults.
    pub(super) fn is_told(&self, who: &str) -> bool {
        let shutdown = self.begun.get(who).filter(|shutdown| !shutdown.has_stood_still);
        shutdown.is_some_and(|shutdown| shutdown.since.elapsed() > Duration::ZERO)
    }
}
