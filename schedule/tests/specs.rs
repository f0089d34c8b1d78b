//! What a spec may be, and what it is refused for.

use std::time::Duration;

use piton_schedule::{Calendar, Interval, Spec, SpecError, UnixSeconds, next_times};

fn at(text: &str) -> UnixSeconds {
    text.parse().expect(text)
}

fn next(spec: &Spec, from: &str, count: usize) -> Vec<String> {
    let times = next_times(spec, at(from), count).expect("a spec");
    times.iter().map(ToString::to_string).collect()
}

fn refusal(spec: &Spec) -> String {
    spec.compile().expect_err("nothing wrong").to_string()
}

#[test]
fn cron_strings_have_five_to_seven_fields_and_shorthands() {
    let from = "2026-11-26T12:00:00Z";
    for (cron, first) in [
        ("15 8 * * *", "2026-11-27T08:15:00Z"),
        ("15 8 * * * 2028", "2028-01-01T08:15:00Z"),
        ("30 15 8 * * * 2028", "2028-01-01T08:15:30Z"),
        ("@yearly", "2027-01-01T00:00:00Z"),
        ("@annually", "2027-01-01T00:00:00Z"),
        ("@monthly", "2026-12-01T00:00:00Z"),
        ("@weekly", "2026-11-29T00:00:00Z"),
        ("@daily", "2026-11-27T00:00:00Z"),
        ("@Midnight", "2026-11-27T00:00:00Z"),
        ("@hourly", "2026-11-26T13:00:00Z"),
        ("@every 90s", "2026-11-26T12:01:30Z"),
        ("@every 6h/5h", "2026-11-26T17:00:00Z"),
        ("CRON_TZ=Asia/Kolkata @EVERY 1h30m", "2026-11-26T13:30:00Z"),
        ("CRON_TZ=America/New_York 15 8 * * *", "2026-11-26T13:15:00Z"),
        ("TZ=Asia/Kolkata  0 18 * * *", "2026-11-26T12:30:00Z"),
        ("TZ=Asia/Kolkata @daily # before dawn", "2026-11-26T18:30:00Z"),
    ] {
        assert_eq!(next(&Spec::new().cron(cron), from, 1), [first], "{cron}");
    }
}

#[test]
fn a_zone_of_a_cron_string_precedes_that_of_the_spec() {
    let spec =
        Spec::new().cron("CRON_TZ=Asia/Tokyo 0 9 * * *").cron("0 9 * * *").zone("Europe/Berlin");
    let times = next(&spec, "2026-11-26T12:00:00Z", 2);
    assert_eq!(times, ["2026-11-27T00:00:00Z", "2026-11-27T08:00:00Z"]);
}

#[test]
fn calendars_intervals_and_cron_strings_add_up_without_doubles() {
    let spec = Spec::new()
        .cron("0 12 * * *")
        .every(Duration::from_secs(6 * 3_600))
        .interval(Interval::every(Duration::from_secs(86_400)).offset(Duration::from_secs(60)))
        .calendar(Calendar::new().hour(13).minute(30));
    let times = next(&spec, "2026-11-26T11:00:00Z", 5);
    assert_eq!(
        times,
        [
            "2026-11-26T12:00:00Z",
            "2026-11-26T13:30:00Z",
            "2026-11-26T18:00:00Z",
            "2026-11-27T00:00:00Z",
            "2026-11-27T00:01:00Z",
        ]
    );
}

#[test]
fn start_and_end_are_included() {
    let spec = Spec::new()
        .cron("0 * * * *")
        .start(at("2026-11-27T10:00:00Z"))
        .end(at("2026-11-27T11:00:00Z"));
    let times = next(&spec, "2026-11-26T12:00:00Z", 9);
    assert_eq!(times, ["2026-11-27T10:00:00Z", "2026-11-27T11:00:00Z"]);
    let json = r#"{"cron": "0 * * * *", "start": "2026-11-27T10:00:00.5Z"}"#;
    let spec: Spec = serde_json::from_str(json).expect("a spec");
    assert_eq!(next(&spec, "2026-11-26T12:00:00Z", 1), ["2026-11-27T11:00:00Z"]);
}

#[test]
fn exclusions_have_the_defaults_of_calendars() {
    let from = "2026-12-24T22:00:00Z";
    let hourly = Spec::new().cron("0 * * * *");
    let christmas = Calendar::new().month("dec").day_of_month(25);
    let times = next(&hourly.clone().exclude(christmas.clone()), from, 2);
    assert_eq!(times, ["2026-12-24T23:00:00Z", "2026-12-25T01:00:00Z"]);
    let times = next(&hourly.exclude(christmas.whole_day()), from, 2);
    assert_eq!(times, ["2026-12-24T23:00:00Z", "2026-12-26T00:00:00Z"]);
}

#[test]
fn a_time_that_the_clock_skips_is_excluded_by_its_own_name() {
    let spec = Spec::new()
        .cron("30 2 * * *")
        .zone("Europe/Berlin")
        .exclude(Calendar::new().hour(2).minute("*").day_of_week("sun"));
    let times = next(&spec, "2026-03-28T12:00:00Z", 1);
    assert_eq!(times, ["2026-03-30T00:30:00Z"]);
}

#[test]
fn exclusions_of_long_stretches_are_passed_at_once() {
    let spec = Spec::new()
        .calendar(Calendar::new().hour("*").minute("*").second("*"))
        .exclude(Calendar::new().year("1970-9998").whole_day());
    assert_eq!(spec.compile().err(), Some(SpecError::NeverDue));
    let spec = Spec::new()
        .calendar(Calendar::new().hour("*").minute("*").second("*"))
        .exclude(Calendar::new().year("2026-2199").whole_day());
    assert_eq!(next(&spec, "2026-11-26T12:00:00Z", 1), ["2200-01-01T00:00:00Z"]);
}

#[test]
fn leap_days_and_far_years() {
    let leap = Spec::new().cron("0 0 29 2 *");
    let times = next(&leap, "2096-03-01T00:00:00Z", 2);
    assert_eq!(times, ["2104-02-29T00:00:00Z", "2108-02-29T00:00:00Z"]);
    let monday = Spec::new().calendar(Calendar::new().month(2).day_of_month(29).day_of_week("mon"));
    assert_eq!(next(&monday, "2026-11-26T12:00:00Z", 1), ["2044-02-29T00:00:00Z"]);
    let far = Spec::new().cron("0 12 * 7 * 9999").zone("Europe/Berlin");
    assert_eq!(next(&far, "2026-11-26T12:00:00Z", 1), ["9999-07-01T10:00:00Z"]);
    let last = Spec::new().cron("0 0 30 12 * 9999");
    assert_eq!(next(&last, "2026-11-26T12:00:00Z", 2), ["9999-12-30T00:00:00Z"]);
}

#[test]
fn what_is_never_due_is_refused() {
    for cron in ["0 0 31 2 *", "0 0 30 feb *", "0 0 31 4,6,9,11 *", "0 0 29 2 * 2027"] {
        assert_eq!(Spec::new().cron(cron).compile().err(), Some(SpecError::NeverDue), "{cron}");
    }
    assert_eq!(Spec::new().compile().err(), Some(SpecError::Empty));
    let over = Spec::new().cron("0 0 1 1 * 2020").start(at("2026-01-01T00:00:00Z"));
    assert_eq!(over.compile().err(), Some(SpecError::NeverDue));
}

#[test]
fn a_refusal_names_the_field_the_text_and_the_fix() {
    assert_eq!(
        refusal(&Spec::new().cron("60 * * * *")),
        "minute `60`: 60 is out of range: write 0 to 59"
    );
    assert_eq!(
        refusal(&Spec::new().cron("0 0 * * 5#3")),
        "dayOfWeek `5#3`: `5#3` is neither a number nor a name: write 0 to 6, or names such as `mon`"
    );
    Spec::new().cron("0 0 * * 5 #3 of them").compile().expect("that is a comment");
    assert_eq!(
        refusal(&Spec::new().cron("0 0 L * *")),
        "dayOfMonth `L`: `L` is not a number: write 1 to 31, ranges such as `1-5`, lists, steps such as `*/2`, or `*`"
    );
    assert_eq!(
        refusal(&Spec::new().cron("0 12 * *")),
        "cron string `0 12 * *`: has 4 fields: write five (minute, hour, day of month, month, day of week), six (and \
         the year), or seven (the second before them)"
    );
    assert_eq!(
        refusal(&Spec::new().cron("@reboot")),
        "cron string `@reboot`: `@reboot` is not a shorthand: write @yearly, @annually, @monthly, @weekly, @daily, \
         @midnight, @hourly or `@every 90s`"
    );
    assert_eq!(
        refusal(&Spec::new().cron("@every 1.5s")),
        "interval `1.5s`: is not a whole number of seconds"
    );
    assert_eq!(
        refusal(&Spec::new().cron("@every 5m/5m")),
        "offset `5m`: is not shorter than the interval `5m`"
    );
    assert_eq!(
        refusal(&Spec::new().cron("@daily").zone("Europe/Berln")),
        "there is no time zone `Europe/Berln`: write a name of the IANA database, such as `Europe/Berlin`"
    );
    assert_eq!(
        refusal(&Spec::new().cron("TZ=Europe/Berln @every 1h")),
        refusal(&Spec::new().cron("@daily").zone("Europe/Berln"))
    );
    let late = Spec::new().cron("@daily").start(at("2027-01-01T00:00:00Z"));
    assert_eq!(
        refusal(&late.end(at("2026-01-01T00:00:00Z"))),
        "the spec ends at 2026-01-01T00:00:00Z, before it starts at 2027-01-01T00:00:00Z"
    );
}

#[test]
fn json_has_the_field_names_in_both_cases() {
    let camel = r#"{
        "calendars": [
            {"year": "2027", "month": "Jan,Apr", "dayOfMonth": "1,15", "hour": "11-14", "comment": "quarters"},
            "0 12 * * MON"
        ],
        "intervals": [{"interval": "90m", "offset": "5m"}, "6h/5h"],
        "exclude": [{"dayOfWeek": "sun", "hour": "*", "minute": "*"}],
        "jitter": "30s",
        "timeZone": "Europe/Berlin",
        "clockChanges": {"gap": "skip"}
    }"#;
    let snake = camel
        .replace("dayOfMonth", "day_of_month")
        .replace("dayOfWeek", "day_of_week")
        .replace("timeZone", "time_zone")
        .replace("clockChanges", "clock_changes");
    let camel: Spec = serde_json::from_str(camel).expect("a spec");
    let snake: Spec = serde_json::from_str(&snake).expect("a spec");
    assert_eq!(camel, snake);
    let again = serde_json::to_string(&camel).expect("JSON");
    assert_eq!(serde_json::from_str::<Spec>(&again).expect("a spec"), camel);
}

#[test]
fn the_canonical_form_has_calendars_and_intervals_alone() {
    let spec = Spec::new()
        .cron("CRON_TZ=Asia/Tokyo 0/30 9-17 1 * MON-FRI # office")
        .cron("@every 3600s")
        .zone("europe/berlin");
    let canonical = serde_json::to_value(spec.canonical().expect("a spec")).expect("JSON");
    let calendar = |day_of_month: &str, day_of_week: &str| {
        serde_json::json!({
            "year": "*", "month": "*", "dayOfMonth": day_of_month, "dayOfWeek": day_of_week,
            "hour": "9-17", "minute": "0-59/30", "second": "0", "comment": "office", "zone": "Asia/Tokyo",
        })
    };
    assert_eq!(
        canonical,
        serde_json::json!({
            "calendars": [calendar("1", "*"), calendar("*", "1-5")],
            "intervals": [{"interval": "1h"}],
            "zone": "Europe/Berlin",
        })
    );
}

#[test]
fn json_that_is_no_spec_is_refused_with_the_place() {
    for (json, problem) in [
        (r#"{"calendars": [{"minutes": "5"}]}"#, "unknown field `minutes`"),
        (r#"{"start": "tomorrow"}"#, "start: `tomorrow` is not a time"),
        (r#"{"intervals": [90]}"#, "expected an interval such as \"6h\""),
        (r#"{"calendars": [5]}"#, "expected a calendar with named fields, or a cron string"),
        (r#"{"calendars": [{"minute": true}]}"#, "expected ranges as text"),
    ] {
        let error = serde_json::from_str::<Spec>(json).expect_err(json).to_string();
        assert!(error.contains(problem), "{error}");
    }
}
