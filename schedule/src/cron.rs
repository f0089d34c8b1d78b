//! Cron strings.
//!
//! A cron string is read into calendars or an interval, so that there is one meaning for all forms.

use crate::calendar::Calendar;
use crate::error::SpecError;
use crate::field::{DAY_OF_MONTH, DAY_OF_WEEK, Field};
use crate::interval::Interval;
use crate::zone;

/// What a cron string means.
pub(crate) enum Cron {
    /// One calendar, or two of which either may hold: days of the month, and days of the week.
    Calendars(Vec<Calendar>),
    /// `@every`.
    Interval(Interval),
}

const SHORTHANDS: [(&str, &str); 7] = [
    ("@yearly", "0 0 1 1 *"),
    ("@annually", "0 0 1 1 *"),
    ("@monthly", "0 0 1 * *"),
    ("@weekly", "0 0 * * 0"),
    ("@daily", "0 0 * * *"),
    ("@midnight", "0 0 * * *"),
    ("@hourly", "0 * * * *"),
];

/// Reads a cron string:
///
/// - five fields: minute, hour, day of the month, month, day of the week;
/// - six: these and the year;
/// - seven: the second, these and the year;
/// - `@yearly`, `@annually`, `@monthly`, `@weekly`, `@daily`, `@midnight`, `@hourly`;
/// - `@every 90s`, and with a phase `@every 6h/5h`.
///
/// `CRON_TZ=` or `TZ=` with the name of a time zone may stand before it, and a comment after ` #` behind it.
///
/// If neither the day of the month nor the day of the week begins with `*`, a day is due that fits one of
/// them. This is the rule of Vixie cron.
pub(crate) fn parse(text: &str) -> Result<Cron, SpecError> {
    let refused = |problem: String| SpecError::Cron { text: text.to_owned(), problem };
    // Within a field, as in `5#3`, other programs use it for the third Friday.
    let begins = |at: &usize| text[..*at].chars().next_back().is_none_or(char::is_whitespace);
    let comment_at = text.match_indices('#').map(|(at, _)| at).find(begins);
    let (rest, comment) = match comment_at {
        Some(at) => (text[..at].trim(), Some(text[at + 1..].trim())),
        None => (text.trim(), None),
    };
    let (zone, rest) = match rest.strip_prefix("CRON_TZ=").or_else(|| rest.strip_prefix("TZ=")) {
        Some(prefixed) => {
            let (zone, rest) = prefixed.split_once(char::is_whitespace).unwrap_or((prefixed, ""));
            (Some(zone), rest.trim())
        }
        None => (None, rest),
    };
    let shorthand = rest.to_ascii_lowercase();
    if let Some(every) = shorthand.strip_prefix("@every") {
        // An interval does not depend on the zone, but a misspelled one is told.
        zone.map(zone::named).transpose()?;
        return Interval::parse(every.trim()).map(Cron::Interval);
    }
    let rest = match SHORTHANDS.iter().find(|(name, _)| *name == shorthand) {
        Some((_, fields)) => fields,
        None if rest.starts_with('@') => {
            let known: Vec<&str> = SHORTHANDS.iter().map(|(name, _)| *name).collect();
            return Err(refused(format!(
                "`{rest}` is not a shorthand: write {} or `@every 90s`",
                known.join(", ")
            )));
        }
        None => rest,
    };
    let fields: Vec<&str> = rest.split_whitespace().collect();
    let (second, [minute, hour, day_of_month, month, day_of_week], year) = match *fields {
        [a, b, c, d, e] => ("0", [a, b, c, d, e], "*"),
        [a, b, c, d, e, year] => ("0", [a, b, c, d, e], year),
        [second, a, b, c, d, e, year] => (second, [a, b, c, d, e], year),
        _ => {
            return Err(refused(format!(
                "has {} fields: write five (minute, hour, day of month, month, day of week), six (and the year), \
                 or seven (the second before them)",
                fields.len()
            )));
        }
    };
    let mut calendar =
        Calendar::new().second(second).minute(minute).hour(hour).month(month).year(year);
    if let Some(comment) = comment {
        calendar = calendar.comment(comment);
    }
    if let Some(zone) = zone {
        calendar = calendar.zone(zone);
    }
    let is_starred = |kind, text| Field::parse(kind, text).map(|field| field.is_starred());
    let either =
        !is_starred(&DAY_OF_MONTH, day_of_month)? && !is_starred(&DAY_OF_WEEK, day_of_week)?;
    Ok(Cron::Calendars(match either {
        true => {
            vec![calendar.clone().day_of_month(day_of_month), calendar.day_of_week(day_of_week)]
        }
        false => vec![calendar.day_of_month(day_of_month).day_of_week(day_of_week)],
    }))
}
