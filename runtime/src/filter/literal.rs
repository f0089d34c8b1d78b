//! Literals of filters: times, durations and patterns.

use std::time::Duration;

use crate::model::Timestamp;

/// The microseconds of a day.
pub(crate) const DAY: i64 = 86_400_000_000;

/// The date of a day, by the number of days since 1970.
pub(crate) fn day(number: i64) -> String {
    let at = Timestamp(number.saturating_mul(DAY)).to_string();
    at.strip_suffix("T00:00:00Z").unwrap_or(&at).to_owned()
}

/// Parses a duration: `3 days`, `1 hour 30 minutes`.
pub(super) fn duration(text: &str) -> Option<Duration> {
    let mut total = Duration::ZERO;
    let mut rest = text.trim();
    if rest.is_empty() {
        return None;
    }
    while !rest.is_empty() {
        let digits = rest.find(|letter: char| !letter.is_ascii_digit()).filter(|end| *end > 0)?;
        let count: u64 = rest[..digits].parse().ok()?;
        rest = rest[digits..].trim_start();
        let end = rest.find(|letter: char| !letter.is_ascii_alphabetic()).unwrap_or(rest.len());
        let micros: u64 = match rest[..end].to_ascii_lowercase().as_str() {
            "ms" | "millisecond" | "milliseconds" => 1_000,
            "s" | "sec" | "secs" | "second" | "seconds" => 1_000_000,
            "m" | "min" | "mins" | "minute" | "minutes" => 60_000_000,
            "h" | "hour" | "hours" => 3_600_000_000,
            "d" | "day" | "days" => 86_400_000_000,
            "w" | "week" | "weeks" => 604_800_000_000,
            _ => return None,
        };
        total = total.checked_add(Duration::from_micros(count.checked_mul(micros)?))?;
        rest = rest[end..].trim_start();
    }
    Some(total)
}

/// Formats a duration for [`duration`], in its largest whole unit.
pub(super) fn write_duration(duration: Duration) -> String {
    let millis = duration.as_millis();
    let units =
        [("days", 86_400_000), ("hours", 3_600_000), ("minutes", 60_000), ("seconds", 1_000)];
    let (unit, length) = units
        .into_iter()
        .find(|(_, length)| millis.is_multiple_of(*length))
        .unwrap_or(("milliseconds", 1));
    format!("{} {unit}", millis / length)
}

/// A parsed pattern of `like`.
#[derive(Debug, PartialEq, Eq)]
pub(super) enum Pattern {
    /// The text itself.
    Whole(String),
    /// A prefix.
    Prefix(String),
}

/// Parses a pattern: text, with `\` before a literal `%`, `_` or `\`, and a `%` at the end.
pub(super) fn pattern(text: &str) -> Option<Pattern> {
    let mut plain = String::with_capacity(text.len());
    let mut letters = text.chars();
    while let Some(letter) = letters.next() {
        match letter {
            '\\' => plain.push(letters.next()?),
            '%' if letters.as_str().is_empty() => return Some(Pattern::Prefix(plain)),
            '%' | '_' => return None,
            letter => plain.push(letter),
        }
    }
    Some(Pattern::Whole(plain))
}

/// The pattern for a prefix.
pub(super) fn write_prefix(prefix: &str) -> String {
    let mut text = String::with_capacity(prefix.len() + 1);
    for letter in prefix.chars() {
        if matches!(letter, '\\' | '%' | '_') {
            text.push('\\');
        }
        text.push(letter);
    }
    text.push('%');
    text
}

/// The least text that is greater than all texts with this prefix, in byte order; `None` if there is none.
pub(crate) fn behind_prefix(prefix: &str) -> Option<String> {
    let mut letters: Vec<char> = prefix.chars().collect();
    while let Some(last) = letters.pop() {
        let next = (u32::from(last) + 1..=u32::from(char::MAX)).find_map(char::from_u32);
        if let Some(next) = next {
            letters.push(next);
            return Some(letters.into_iter().collect());
        }
    }
    None
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn durations_are_read_as_they_are_written() {
        let read = |text| duration(text).map(|duration| duration.as_secs());
        assert_eq!(read("3 days"), Some(3 * 86_400));
        assert_eq!(read("1 hour 30 minutes"), Some(5_400));
        assert_eq!(read("1h30m"), Some(5_400));
        for wrong in ["", "days", "3", "3 months", "1 year", "-1 day", "1.5 days", "3 days ago"] {
            assert_eq!(read(wrong), None, "{wrong}");
        }
        for written in ["3 days", "5 hours", "90 minutes", "1 seconds", "1500 milliseconds"] {
            assert_eq!(duration(written).map(write_duration).as_deref(), Some(written));
        }
    }

    #[test]
    fn days_are_told_by_their_date() {
        assert_eq!(day(0), "1970-01-01");
        assert_eq!(day(20_454), "2026-01-01");
    }

    #[test]
    fn patterns_end_with_their_only_sign() {
        assert_eq!(pattern("ord%"), Some(Pattern::Prefix("ord".into())));
        assert_eq!(pattern(r"50\%\_\\"), Some(Pattern::Whole(r"50%_\".into())));
        for wrong in ["%x", "a%b%", "a_", r"a\"] {
            assert_eq!(pattern(wrong), None, "{wrong}");
        }
        for prefix in ["", "ord", r"50%_\"] {
            assert_eq!(pattern(&write_prefix(prefix)), Some(Pattern::Prefix(prefix.into())));
        }
    }

    #[test]
    fn what_is_behind_a_prefix_is_behind_all_that_begin_so() {
        assert_eq!(behind_prefix("ab").as_deref(), Some("ac"));
        assert_eq!(behind_prefix("a\u{d7ff}").as_deref(), Some("a\u{e000}"));
        assert_eq!(behind_prefix("a\u{10ffff}").as_deref(), Some("b"));
        assert_eq!(behind_prefix("\u{10ffff}"), None);
        assert_eq!(behind_prefix(""), None);
    }
}
