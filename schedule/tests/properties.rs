//! Searches against a brute force that goes from day to day and asks the time zone library for each local time.

use std::collections::BTreeSet;

use jiff::ToSpan as _;
use jiff::civil::Date;
use jiff::tz::{AmbiguousOffset, TimeZone, TimeZoneDatabase};
use piton_schedule::{Calendar, ClockChanges, Fold, Gap, Spec, UnixSeconds};
use proptest::prelude::*;

/// Zones and times shortly before their clocks change.
const CHANGES: [(&str, &str); 12] = [
    ("Europe/Berlin", "2026-03-29T00:00:00Z"),
    ("Europe/Berlin", "2026-10-24T23:30:00Z"),
    ("America/New_York", "2026-03-08T06:00:00Z"),
    ("America/New_York", "2026-11-01T05:20:00Z"),
    ("Australia/Lord_Howe", "2026-04-04T14:00:00Z"),
    ("Australia/Lord_Howe", "2026-10-03T14:00:00Z"),
    ("America/Santiago", "2026-09-06T03:00:00Z"),
    ("Africa/Casablanca", "2026-03-22T01:00:00Z"),
    ("Antarctica/Troll", "2026-10-25T00:00:00Z"),
    ("Pacific/Apia", "2011-12-30T08:00:00Z"),
    ("Asia/Tehran", "2022-03-21T20:00:00Z"),
    ("UTC", "2024-02-28T23:00:00Z"),
];

#[derive(Clone, Debug)]
struct Case {
    hours: BTreeSet<i8>,
    minutes: BTreeSet<i8>,
    weekdays: BTreeSet<i8>,
    every_hour: bool,
    zone: &'static str,
    from: UnixSeconds,
    policy: ClockChanges,
}

impl Case {
    fn calendar(&self) -> Calendar {
        let list = |values: &BTreeSet<i8>| {
            values.iter().map(ToString::to_string).collect::<Vec<_>>().join(",")
        };
        let calendar =
            Calendar::new().minute(list(&self.minutes)).day_of_week(list(&self.weekdays));
        if self.every_hour { calendar.hour("*") } else { calendar.hour(list(&self.hours)) }
    }

    fn is_periodic(&self) -> bool {
        self.every_hour || self.hours.len() == 24 || self.minutes.len() == 60
    }

    /// All times of the day with this local date.
    fn times_of(&self, date: Date, zone: &TimeZone) -> BTreeSet<i64> {
        let mut times = BTreeSet::new();
        if !self.weekdays.contains(&date.weekday().to_sunday_zero_offset()) {
            return times;
        }
        let hours = (0..24).filter(|hour| self.every_hour || self.hours.contains(hour));
        for local in
            hours.flat_map(|hour| self.minutes.iter().map(move |m| date.at(hour, *m, 0, 0)))
        {
            let ambiguous = zone.to_ambiguous_timestamp(local);
            let second = |offset: jiff::tz::Offset| {
                offset.to_timestamp(local).map_or(i64::MAX, |at| at.as_second())
            };
            match ambiguous.offset() {
                AmbiguousOffset::Unambiguous { offset } => {
                    times.insert(second(offset));
                }
                AmbiguousOffset::Gap { before, .. } if !self.is_periodic() => {
                    match self.policy.gap {
                        Gap::Skip => {}
                        Gap::Shift => {
                            times.insert(second(before));
                        }
                        Gap::After => {
                            let earlier = jiff::Timestamp::from_second(second(before) - 172_800);
                            let change = zone.following(earlier.expect("a time")).find(|change| {
                                change.offset().to_datetime(change.timestamp()) > local
                            });
                            times.insert(change.expect("a change").timestamp().as_second());
                        }
                    }
                }
                AmbiguousOffset::Gap { .. } => {}
                AmbiguousOffset::Fold { before, after } => {
                    let fold = if self.is_periodic() { Fold::Both } else { self.policy.fold };
                    if fold != Fold::Last {
                        times.insert(second(before));
                    }
                    if fold != Fold::First {
                        times.insert(second(after));
                    }
                }
            }
        }
        times
    }

    /// The times of the days around `from` that lie behind it.
    fn expected(&self, days: i64) -> Vec<UnixSeconds> {
        let zone = TimeZoneDatabase::bundled().get(self.zone).expect("a zone");
        let at = jiff::Timestamp::from_second(self.from.0).expect("a time");
        let first = zone.to_datetime(at).date();
        let date = |ahead: i64| first.checked_add(ahead.days()).expect("a date");
        let all: BTreeSet<i64> =
            (-3..days).flat_map(|ahead| self.times_of(date(ahead), &zone)).collect();
        all.range(self.from.0 + 1..).map(|at| UnixSeconds(*at)).collect()
    }
}

fn case() -> impl Strategy<Value = Case> {
    let set = |most: i8, size: usize| proptest::collection::btree_set(0..most, 1..size);
    let policy = (
        prop_oneof![Just(Gap::After), Just(Gap::Shift), Just(Gap::Skip)],
        prop_oneof![Just(Fold::First), Just(Fold::Last), Just(Fold::Both)],
    );
    let place = (proptest::sample::select(CHANGES.to_vec()), -20_000..20_000i64);
    (set(24, 5), set(60, 5), set(7, 7), proptest::bool::weighted(0.2), place, policy).prop_map(
        |(hours, minutes, weekdays, every_hour, ((zone, near), away), (gap, fold))| {
            let near: UnixSeconds = near.parse().expect("a time");
            let from = UnixSeconds(near.0 + away);
            Case {
                hours,
                minutes,
                weekdays,
                every_hour,
                zone,
                from,
                policy: ClockChanges { gap, fold },
            }
        },
    )
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(1_000))]

    /// The search finds all that the brute force finds, in its order, and nothing between.
    #[test]
    fn a_search_finds_what_a_walk_finds(case in case()) {
        let spec = Spec::new().calendar(case.calendar()).zone(case.zone).clock_changes(case.policy);
        let expected = case.expected(12);
        // The last days of the walk may lack what the days behind them are due at.
        let sure = &expected[..expected.len().saturating_sub(30).max(expected.len().min(3))];
        let times = spec.compile().expect("a spec");
        let found: Vec<UnixSeconds> = times.after(case.from).take(sure.len()).collect();
        prop_assert_eq!(&found[..], sure);
    }

    /// What comes next does not depend on where, before it, the search begins.
    #[test]
    fn no_time_lies_between_a_time_and_the_next(case in case(), part in 0.0..1.0f64) {
        let spec = Spec::new().calendar(case.calendar()).zone(case.zone).clock_changes(case.policy);
        let times = spec.compile().expect("a spec");
        let next = times.next(case.from).expect("a time");
        prop_assert!(next > case.from);
        let between = case.from.0 + ((next.0 - 1 - case.from.0) as f64 * part) as i64;
        prop_assert_eq!(times.next(UnixSeconds(between)), Some(next));
    }

    /// The canonical form is due at the same times and is its own canonical form.
    #[test]
    fn the_canonical_form_means_the_same(case in case()) {
        let spec = Spec::new().calendar(case.calendar()).zone(case.zone).clock_changes(case.policy);
        let canonical = spec.canonical().expect("a spec");
        prop_assert_eq!(canonical.canonical().expect("a spec"), canonical.clone());
        let first = |spec: &Spec| piton_schedule::next_times(spec, case.from, 40).expect("a spec");
        prop_assert_eq!(first(&canonical), first(&spec));
    }

    /// Whatever is written, reading it ends with times or with a reason.
    #[test]
    fn any_text_is_read_or_refused(text in "[-*/,#0-9A-Za-z@= ]{0,40}") {
        if let Ok(times) = Spec::new().cron(text).compile() {
            prop_assert!(times.next(UnixSeconds(0)).is_some());
        }
    }
}
