//! The due times of a spec.

use std::time::Duration;

use crate::calendar::{self, DAY};
use crate::clock_changes::{ClockChanges, Fold, Gap};
use crate::interval;
use crate::jitter::jitter;
use crate::time::UnixSeconds;
use crate::zone::Stretch;

/// How many excluded stretches one search goes through: the days of 400 years, after which the calendar repeats,
/// and some more.
const MAX_EXCLUDED: u32 = 150_000;

/// The times at which a spec is due, created by [`Spec::compile`](crate::Spec::compile).
#[derive(Clone, Debug)]
pub struct Times {
    pub(crate) calendars: Vec<calendar::Compiled>,
    pub(crate) intervals: Vec<interval::Compiled>,
    pub(crate) excludes: Vec<calendar::Compiled>,
    pub(crate) start: Option<UnixSeconds>,
    pub(crate) end: Option<UnixSeconds>,
    pub(crate) clock_changes: ClockChanges,
    pub(crate) jitter: Duration,
}

impl Times {
    /// The first time after `after`, without jitter. `None` if there is none until the year 9999, or if exclusions
    /// leave none in about 400 years.
    pub fn next(&self, after: UnixSeconds) -> Option<UnixSeconds> {
        let mut from = after.0.saturating_add(1).max(0);
        if let Some(start) = self.start {
            from = from.max(start.0);
        }
        let last = self.end.unwrap_or(UnixSeconds::MAX).min(UnixSeconds::MAX).0;
        for _ in 0..MAX_EXCLUDED {
            if from > last {
                return None;
            }
            let due_at = self.next_with_excluded(from).filter(|due_at| *due_at <= last)?;
            match self.excluded_until(due_at) {
                None => return Some(UnixSeconds(due_at)),
                Some(until) => from = until,
            }
        }
        None
    }

    /// All times after `after`, without jitter.
    pub fn after(&self, after: UnixSeconds) -> TimesAfter<'_> {
        TimesAfter { times: self, after: Some(after) }
    }

    /// The delay of the nominal time `at` by the jitter of the spec, see [`jitter`].
    pub fn jitter(&self, seed: &str, at: UnixSeconds) -> Duration {
        match self.jitter {
            Duration::ZERO => Duration::ZERO,
            max => jitter(seed, at, max, self.next(at)),
        }
    }

    /// The maximum jitter.
    pub fn max_jitter(&self) -> Duration {
        self.jitter
    }

    fn next_with_excluded(&self, from: i64) -> Option<i64> {
        let calendars = self.calendars.iter().filter_map(|calendar| self.next_of(calendar, from));
        let intervals = self.intervals.iter().filter_map(|interval| interval.next(from));
        calendars.chain(intervals).min()
    }

    /// If a time is excluded: when the exclusion may end.
    fn excluded_until(&self, due_at: i64) -> Option<i64> {
        let until = |calendar: &calendar::Compiled| {
            let stretch = Stretch::at(&calendar.zone, due_at);
            let local = due_at + stretch.offset;
            let is_excluded = calendar.contains(local);
            is_excluded.then(|| due_at.saturating_add(calendar.stretch(local)).min(stretch.end))
        };
        self.excludes.iter().filter_map(until).max()
    }

    /// The first time of a calendar from `from` on.
    fn next_of(&self, calendar: &calendar::Compiled, mut from: i64) -> Option<i64> {
        let periodic = calendar.is_periodic();
        let ClockChanges { gap, fold } = match periodic {
            true => ClockChanges::literal(),
            false => self.clock_changes,
        };
        while from <= UnixSeconds::MAX.0 {
            let stretch = Stretch::at(&calendar.zone, from);
            let skipped = self.skipped_time(calendar, gap, &stretch, from);
            let mut first = from + stretch.offset;
            if fold == Fold::First {
                // What the clock shows again was due before.
                first = first.max(stretch.local_before_start());
            }
            let mut end = stretch.local_end();
            if fold == Fold::Last {
                // What the clock will show again is due then.
                end = end.min(stretch.local_after_end());
            }
            let next = calendar.next_local(first);
            let shown = next.filter(|local| *local < end).map(|local| local - stretch.offset);
            if let Some(due_at) = [skipped, shown].into_iter().flatten().min() {
                return Some(due_at);
            }
            // A clock that goes back shows times that lie before `first`.
            let goes_back = stretch.after < stretch.offset;
            from = match next {
                None if !goes_back => return None,
                // No offset is as long as two days, so nothing is left out.
                Some(local) if !goes_back => stretch.end.max(local - 2 * DAY),
                _ => stretch.end,
            };
        }
        None
    }

    /// The first time from `from` on for the local times that the clock skipped at the start of the stretch.
    fn skipped_time(
        &self,
        calendar: &calendar::Compiled,
        gap: Gap,
        stretch: &Stretch,
        from: i64,
    ) -> Option<i64> {
        let (gap_start, gap_end) = (stretch.local_before_start(), stretch.local_start());
        if gap_start >= gap_end {
            return None;
        }
        let in_gap = |first: i64| self.next_skipped(calendar, first, gap_end);
        match gap {
            Gap::Skip => None,
            Gap::After if from > stretch.start => None,
            Gap::After => in_gap(gap_start).map(|_| stretch.start),
            Gap::Shift => {
                in_gap(gap_start.max(from + stretch.before)).map(|local| local - stretch.before)
            }
        }
    }

    /// The first local time of a calendar from `from` on and before `gap_end` that is not excluded. The clock does not show
    /// these times, so they are excluded by calendars of the same zone alone.
    fn next_skipped(
        &self,
        calendar: &calendar::Compiled,
        mut from: i64,
        gap_end: i64,
    ) -> Option<i64> {
        let in_zone = || self.excludes.iter().filter(|one| one.zone == calendar.zone);
        loop {
            let local = calendar.next_local(from).filter(|local| *local < gap_end)?;
            let excluding = in_zone().filter(|one| one.contains(local));
            match excluding.map(|one| one.stretch(local)).max() {
                None => return Some(local),
                Some(length) => from = local.saturating_add(length),
            }
        }
    }
}

/// The times of a spec in ascending order, see [`Times::after`].
#[derive(Clone, Debug)]
pub struct TimesAfter<'a> {
    times: &'a Times,
    /// `None` once there are no more.
    after: Option<UnixSeconds>,
}

impl Iterator for TimesAfter<'_> {
    type Item = UnixSeconds;

    fn next(&mut self) -> Option<UnixSeconds> {
        self.after = self.times.next(self.after?);
        self.after
    }
}
