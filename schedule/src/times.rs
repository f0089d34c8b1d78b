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

/// A time that is due, and the local time that it is due for.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
struct Due {
    at: i64,
    /// The calendar's own local time; none of an interval.
    nominal: Option<i64>,
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
            let due = self.next_with_excluded(from).filter(|due| due.at <= last)?;
            match self.excluded_until(due) {
                None => return Some(UnixSeconds(due.at)),
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

    fn next_with_excluded(&self, from: i64) -> Option<Due> {
        let calendars = self.calendars.iter().filter_map(|calendar| self.next_of(calendar, from));
        let intervals = self.intervals.iter().filter_map(|interval| interval.next(from));
        calendars.chain(intervals.map(|at| Due { at, nominal: None })).min()
    }

    /// If a time is excluded: when the exclusion may end.
    fn excluded_until(&self, due: Due) -> Option<i64> {
        let until = |calendar: &calendar::Compiled| {
            let stretch = Stretch::at(&calendar.zone, due.at);
            let local = due.at + stretch.offset;
            if calendar.contains(local) {
                return Some((due.at + calendar.stretch(local)).min(stretch.end));
            }
            // A time that the clock skips is excluded by its own name as well.
            let by_name = due.nominal.is_some_and(|nominal| calendar.contains(nominal));
            by_name.then_some(due.at + 1)
        };
        self.excludes.iter().filter_map(until).max()
    }

    /// The first time of a calendar from `from` on.
    fn next_of(&self, calendar: &calendar::Compiled, mut from: i64) -> Option<Due> {
        let periodic = calendar.is_periodic();
        let ClockChanges { gap, fold } = match periodic {
            true => ClockChanges::literal(),
            false => self.clock_changes,
        };
        while from <= UnixSeconds::MAX.0 {
            let stretch = Stretch::at(&calendar.zone, from);
            let skipped = skipped_time(calendar, gap, &stretch, from);
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
            let shown = next
                .filter(|local| *local < end)
                .map(|local| Due { at: local - stretch.offset, nominal: Some(local) });
            if let Some(due) = [skipped, shown].into_iter().flatten().min() {
                return Some(due);
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
}

/// The first time from `from` on for the local times that the clock skipped at the start of the stretch.
fn skipped_time(
    calendar: &calendar::Compiled,
    gap: Gap,
    stretch: &Stretch,
    from: i64,
) -> Option<Due> {
    let (gap_start, gap_end) = (stretch.local_before_start(), stretch.local_start());
    if gap_start >= gap_end {
        return None;
    }
    let in_gap = |first: i64| calendar.next_local(first).filter(|local| *local < gap_end);
    match gap {
        Gap::Skip => None,
        Gap::After if from > stretch.start => None,
        Gap::After => {
            in_gap(gap_start).map(|local| Due { at: stretch.start, nominal: Some(local) })
        }
        Gap::Shift => in_gap(gap_start.max(from + stretch.before))
            .map(|local| Due { at: local - stretch.before, nominal: Some(local) }),
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
