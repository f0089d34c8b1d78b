//! Durations as text.

use std::time::Duration;

/// The units, with their nanoseconds.
const UNITS: [(&str, u128); 8] = [
    ("ns", 1),
    ("us", 1_000),
    ("µs", 1_000),
    ("ms", 1_000_000),
    ("s", 1_000_000_000),
    ("m", 60_000_000_000),
    ("h", 3_600_000_000_000),
    ("d", 86_400_000_000_000),
];

const FORMS: &str = "write numbers with units, such as `90s`, `1h30m`, `1.5h` or `2d`";

/// Reads a duration: numbers, each with a unit (`ns`, `us`, `ms`, `s`, `m`, `h`, `d`), such as `1h30m` or
/// `1.5h`. A day has 24 hours.
///
/// # Errors
/// The text is not a duration. The message says what to write instead.
pub fn parse_duration(text: &str) -> Result<Duration, String> {
    let mut rest = text.trim();
    if rest.is_empty() {
        return Err(format!("is empty: {FORMS}"));
    }
    let mut nanos: u128 = 0;
    while !rest.is_empty() {
        let digits = rest.find(|c: char| !c.is_ascii_digit() && c != '.').unwrap_or(rest.len());
        let (number, behind) = rest.split_at(digits);
        let letters = behind.find(|c: char| !c.is_alphabetic()).unwrap_or(behind.len());
        let (unit, behind) = behind.split_at(letters);
        if number.is_empty() {
            return Err(format!("is not a duration: {FORMS}"));
        }
        if unit.is_empty() {
            return Err(format!("has a number without a unit: {FORMS}"));
        }
        let Some((_, scale)) = UNITS.iter().find(|(name, _)| *name == unit) else {
            return Err(format!("has the unknown unit `{unit}`: {FORMS}"));
        };
        let part = scaled(number, *scale)
            .ok_or_else(|| format!("has the bad number `{number}`: {FORMS}"))?;
        nanos = nanos.saturating_add(part);
        rest = behind.trim_start();
    }
    let seconds = u64::try_from(nanos / 1_000_000_000).map_err(|_| "is too long".to_owned())?;
    Ok(Duration::new(seconds, (nanos % 1_000_000_000) as u32))
}

/// `number` times `scale`, which loses nothing: a fraction below one nanosecond is refused.
fn scaled(number: &str, scale: u128) -> Option<u128> {
    let (whole, fraction) = number.split_once('.').unwrap_or((number, ""));
    if whole.is_empty() && fraction.is_empty() || whole.len() > 18 || fraction.len() > 15 {
        return None;
    }
    let value =
        |digits: &str| if digits.is_empty() { Some(0) } else { digits.parse::<u128>().ok() };
    let denominator = 10u128.pow(fraction.len() as u32);
    let exact = value(fraction)? * scale;
    exact.is_multiple_of(denominator).then_some(value(whole)? * scale + exact / denominator)
}

/// A whole number of seconds, of at least `least`.
pub(crate) fn parse_seconds(text: &str, least: i64) -> Result<i64, String> {
    let duration = parse_duration(text)?;
    if duration.subsec_nanos() != 0 {
        return Err("is not a whole number of seconds".to_owned());
    }
    let seconds = i64::try_from(duration.as_secs()).map_err(|_| "is too long".to_owned())?;
    // Ten thousand years; what is longer is not due twice.
    match seconds {
        _ if seconds < least => Err(format!("is shorter than {least}s")),
        315_576_000_001.. => Err("is longer than 10,000 years".to_owned()),
        _ => Ok(seconds),
    }
}

/// The canonical text of so many seconds, with the largest units that fit.
pub(crate) fn seconds_text(mut seconds: i64) -> String {
    if seconds == 0 {
        return "0s".to_owned();
    }
    let mut text = String::new();
    for (unit, length) in [("h", 3_600), ("m", 60), ("s", 1)] {
        if seconds >= length {
            text += &format!("{}{unit}", seconds / length);
            seconds %= length;
        }
    }
    text
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn durations_are_read_exactly() {
        let seconds = |text| parse_seconds(text, 0);
        assert_eq!(seconds("90s"), Ok(90));
        assert_eq!(seconds("1h30m"), Ok(5_400));
        assert_eq!(seconds("1h 30m"), Ok(5_400));
        assert_eq!(seconds("1.5h"), Ok(5_400));
        assert_eq!(seconds("2d"), Ok(172_800));
        assert_eq!(seconds("2000ms"), Ok(2));
        assert_eq!(parse_duration("1.5s"), Ok(Duration::from_millis(1_500)));
    }

    #[test]
    fn what_is_no_duration_is_refused_with_the_reason() {
        for (text, reason) in [
            ("", "is empty"),
            ("90", "without a unit"),
            ("5y", "unknown unit `y`"),
            ("-5m", "is not a duration"),
            ("1.2.3s", "bad number"),
            ("1.5s", "whole number of seconds"),
            ("0s", "shorter than 1s"),
            ("9999999999h", "longer than 10,000 years"),
            ("99999999999999999h", "is too long"),
        ] {
            let problem = parse_seconds(text, 1).expect_err(text);
            assert!(problem.contains(reason), "{text}: {problem}");
        }
    }

    #[test]
    fn the_canonical_text_means_the_same() {
        for seconds in [0, 1, 59, 60, 3_599, 3_600, 5_400, 86_400, 90_061] {
            assert_eq!(parse_seconds(&seconds_text(seconds), 0), Ok(seconds));
        }
    }
}
