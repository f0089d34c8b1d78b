//! One field of a calendar: a list of ranges, as text and as the set of its values.

use crate::error::SpecError;

/// What a field may hold.
pub(crate) struct FieldKind {
    /// Its name, as the JSON form of a calendar has it.
    pub(crate) name: &'static str,
    pub(crate) least: u16,
    pub(crate) most: u16,
    /// Names of values, from `least` on.
    names: &'static [&'static str],
}

pub(crate) const SECOND: FieldKind = FieldKind { name: "second", least: 0, most: 59, names: &[] };
pub(crate) const MINUTE: FieldKind = FieldKind { name: "minute", least: 0, most: 59, names: &[] };
pub(crate) const HOUR: FieldKind = FieldKind { name: "hour", least: 0, most: 23, names: &[] };
pub(crate) const DAY_OF_MONTH: FieldKind =
    FieldKind { name: "dayOfMonth", least: 1, most: 31, names: &[] };
pub(crate) const MONTH: FieldKind = FieldKind {
    name: "month",
    least: 1,
    most: 12,
    names: &[
        "january",
        "february",
        "march",
        "april",
        "may",
        "june",
        "july",
        "august",
        "september",
        "october",
        "november",
        "december",
    ],
};
/// 7 is read as 0, which is Sunday.
pub(crate) const DAY_OF_WEEK: FieldKind = FieldKind {
    name: "dayOfWeek",
    least: 0,
    most: 6,
    names: &["sunday", "monday", "tuesday", "wednesday", "thursday", "friday", "saturday"],
};
pub(crate) const YEAR: FieldKind = FieldKind { name: "year", least: 1970, most: 9999, names: &[] };

/// A range with a step. It wraps around if `first` is greater than `last`.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
struct Range {
    first: u16,
    last: u16,
    step: u16,
}

/// The values of a field.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct Field {
    ranges: Vec<Range>,
    /// Whether the text begins with `*`.
    starred: bool,
    least: u16,
    most: u16,
}

impl Field {
    pub(crate) fn parse(kind: &FieldKind, text: &str) -> Result<Self, SpecError> {
        let refused =
            |problem: String| SpecError::Field { field: kind.name, text: text.to_owned(), problem };
        if text.trim().is_empty() {
            return Err(refused("is empty: write `*` or leave it out".to_owned()));
        }
        let mut ranges = Vec::new();
        for part in text.split(',') {
            ranges.push(range(kind, part.trim()).map_err(&refused)?);
        }
        let starred = text.trim_start().starts_with('*');
        Ok(Self { ranges, starred, least: kind.least, most: kind.most })
    }

    /// Whether the text begins with `*`, which is how cron tells whether a day field is restricted.
    pub(crate) fn is_starred(&self) -> bool {
        self.starred
    }

    /// Whether the text begins with `*` or the field allows all values.
    pub(crate) fn is_periodic(&self) -> bool {
        self.starred || self.is_full()
    }

    pub(crate) fn is_full(&self) -> bool {
        (self.least..=self.most).all(|value| self.contains(value))
    }

    pub(crate) fn contains(&self, value: u16) -> bool {
        let size = self.most - self.least + 1;
        self.ranges.iter().any(|range| {
            let distance =
                if value >= range.first { value - range.first } else { value + size - range.first };
            let length = if range.last >= range.first {
                range.last - range.first
            } else {
                range.last + size - range.first
            };
            distance <= length && distance.is_multiple_of(range.step)
        })
    }

    /// The values as bits, for fields of less than 64 values.
    pub(crate) fn bits(&self) -> u64 {
        (self.least..=self.most)
            .filter(|value| self.contains(*value))
            .fold(0, |bits, value| bits | 1 << value)
    }

    /// The first value from `from` on.
    pub(crate) fn next(&self, from: u16) -> Option<u16> {
        if from > self.most {
            return None;
        }
        if self
            .ranges
            .iter()
            .any(|range| range.step == 1 && range.first <= from && from <= range.last)
        {
            return Some(from);
        }
        (from.max(self.least)..=self.most).find(|value| self.contains(*value))
    }

    /// The canonical text: ascending numbers without repetition. It has the same values, and is
    /// periodic if this is.
    pub(crate) fn canonical(&self) -> String {
        if self.is_full() {
            return "*".to_owned();
        }
        let mut ranges = self.ranges.clone();
        ranges.sort_unstable();
        ranges.dedup();
        let whole = |range: &Range| range.first == self.least && range.last == self.most;
        if self.starred {
            // The star stays in front, where it tells that the field is periodic.
            ranges.sort_by_key(|range| !whole(range));
        }
        let text = |range: &Range| match *range {
            Range { step, .. } if self.starred && whole(range) => format!("*/{step}"),
            Range { first, last, .. } if first == last => first.to_string(),
            Range { first, last, step: 1 } => format!("{first}-{last}"),
            Range { first, last, step } => format!("{first}-{last}/{step}"),
        };
        ranges.iter().map(text).collect::<Vec<_>>().join(",")
    }
}

/// Reads `*`, `a`, `a-b`, and each with `/step`.
fn range(kind: &FieldKind, text: &str) -> Result<Range, String> {
    if text.is_empty() {
        return Err("has a comma with nothing on one side: remove it".to_owned());
    }
    let (values, step) = match text.split_once('/') {
        Some((values, step)) => (values.trim(), Some(step.trim())),
        None => (text, None),
    };
    let step = match step.map(number) {
        None => None,
        Some(Some(0)) => return Err("has the step 0: the least is 1".to_owned()),
        Some(Some(step)) => Some(step),
        Some(None) => {
            return Err(format!("`{text}` has no number as its step: write `*/5` or `10-30/5`"));
        }
    };
    let sunday = |value: u16| if kind.name == DAY_OF_WEEK.name && value == 7 { 0 } else { value };
    let (first, last) = match values.split_once('-') {
        _ if values == "*" => (kind.least, kind.most),
        Some((first, last)) => (value(kind, first.trim())?, value(kind, last.trim())?),
        None => {
            let first = sunday(value(kind, values)?);
            // `5/15` is every 15th from 5 on.
            (first, if step.is_some() { kind.most } else { first })
        }
    };
    if kind.name == DAY_OF_WEEK.name && last == 7 && first < 7 {
        // Sunday is the end of the week here: `5-7` is Friday to Sunday, and `0-7` each day.
        let last = if first == 0 { 6 } else { 0 };
        return Ok(Range { first, last, step: step.unwrap_or(1) });
    }
    let (first, last) = (sunday(first), sunday(last));
    if first > last && kind.name == YEAR.name {
        return Err(format!("`{text}` ends before it begins: years do not wrap around"));
    }
    Ok(Range { first, last, step: step.unwrap_or(1) })
}

fn value(kind: &FieldKind, text: &str) -> Result<u16, String> {
    if let Some(value) = number(text) {
        let most = if kind.name == DAY_OF_WEEK.name { 7 } else { kind.most };
        return match value {
            _ if (kind.least..=most).contains(&value) => Ok(value),
            _ => Err(format!("{text} is out of range: write {} to {most}", kind.least)),
        };
    }
    let name = text.to_ascii_lowercase();
    let found = kind.names.iter().position(|full| name.len() >= 3 && full.starts_with(&name));
    match found {
        Some(at) => Ok(kind.least + at as u16),
        None if text.is_empty() => {
            Err("has a range with nothing on one side: write `1-5`".to_owned())
        }
        None if kind.names.is_empty() => Err(format!(
            "`{text}` is not a number: write {} to {}, ranges such as `{}-{}`, lists, steps such as `*/2`, or `*`",
            kind.least,
            kind.most,
            kind.least,
            kind.least + 4,
        )),
        None => Err(format!(
            "`{text}` is neither a number nor a name: write {} to {}, or names such as `{}`",
            kind.least,
            kind.most,
            &kind.names[1][..3],
        )),
    }
}

fn number(text: &str) -> Option<u16> {
    let digits = !text.is_empty() && text.bytes().all(|byte| byte.is_ascii_digit());
    // A number that is too long for the type is out of every range.
    digits.then(|| text.parse().unwrap_or(u16::MAX))
}

#[cfg(test)]
mod tests {
    use super::*;

    fn values(kind: &FieldKind, text: &str) -> Vec<u16> {
        let field = Field::parse(kind, text).expect(text);
        (kind.least..=kind.most).filter(|value| field.contains(*value)).collect()
    }

    #[test]
    fn ranges_lists_and_steps() {
        assert_eq!(values(&MINUTE, "*/20"), [0, 20, 40]);
        assert_eq!(values(&MINUTE, "5/15"), [5, 20, 35, 50]);
        assert_eq!(values(&MINUTE, "10-20/5, 3"), [3, 10, 15, 20]);
        assert_eq!(values(&HOUR, "22-2"), [0, 1, 2, 22, 23]);
        assert_eq!(values(&HOUR, "22-4/2"), [0, 2, 4, 22]);
        assert_eq!(values(&DAY_OF_MONTH, "28-2"), [1, 2, 28, 29, 30, 31]);
        assert_eq!(values(&YEAR, "2024-2032/4"), [2024, 2028, 2032]);
        assert_eq!(values(&MINUTE, "5/99"), [5]);
    }

    #[test]
    fn names_in_any_case_and_abbreviated() {
        assert_eq!(values(&MONTH, "Jan,APR,july,Sept"), [1, 4, 7, 9]);
        assert_eq!(values(&MONTH, "nov-feb"), [1, 2, 11, 12]);
        assert_eq!(values(&DAY_OF_WEEK, "MON-fri"), [1, 2, 3, 4, 5]);
        assert_eq!(values(&DAY_OF_WEEK, "Fri-Monday"), [0, 1, 5, 6]);
    }

    #[test]
    fn sunday_is_0_and_7() {
        assert_eq!(values(&DAY_OF_WEEK, "0"), [0]);
        assert_eq!(values(&DAY_OF_WEEK, "7"), [0]);
        assert_eq!(values(&DAY_OF_WEEK, "5-7"), [0, 5, 6]);
        assert_eq!(values(&DAY_OF_WEEK, "0-7"), [0, 1, 2, 3, 4, 5, 6]);
        assert_eq!(values(&DAY_OF_WEEK, "1-7"), [0, 1, 2, 3, 4, 5, 6]);
        assert_eq!(values(&DAY_OF_WEEK, "7-2"), [0, 1, 2]);
        assert_eq!(values(&DAY_OF_WEEK, "SAT-SUN"), [0, 6]);
        assert_eq!(values(&DAY_OF_WEEK, "1-7/2"), [0, 1, 3, 5]);
        assert_eq!(values(&DAY_OF_WEEK, "7/3"), [0, 3, 6]);
    }

    #[test]
    fn what_is_wrong_is_told_with_the_fix() {
        for (kind, text, problem) in [
            (&MINUTE, "60", "60 is out of range: write 0 to 59"),
            (&MINUTE, "99999999", "99999999 is out of range: write 0 to 59"),
            (&DAY_OF_MONTH, "0", "0 is out of range: write 1 to 31"),
            (&DAY_OF_WEEK, "8", "8 is out of range: write 0 to 7"),
            (&HOUR, "*/0", "has the step 0: the least is 1"),
            (&HOUR, "*/x", "`*/x` has no number as its step: write `*/5` or `10-30/5`"),
            (&HOUR, "1,,2", "has a comma with nothing on one side: remove it"),
            (&HOUR, "1-", "has a range with nothing on one side: write `1-5`"),
            (&HOUR, "", "is empty: write `*` or leave it out"),
            (&YEAR, "2030-2026", "`2030-2026` ends before it begins: years do not wrap around"),
            (
                &MONTH,
                "ja",
                "`ja` is neither a number nor a name: write 1 to 12, or names such as `feb`",
            ),
            (
                &HOUR,
                "L",
                "`L` is not a number: write 0 to 23, ranges such as `0-4`, lists, steps such as `*/2`, or `*`",
            ),
        ] {
            let error = Field::parse(kind, text).expect_err(text);
            assert_eq!(error.to_string(), format!("{} `{text}`: {problem}", kind.name));
        }
    }

    #[test]
    fn the_canonical_text_has_the_same_values() {
        for (kind, text, canonical) in [
            (&MINUTE, "*", "*"),
            (&MINUTE, "0-59", "*"),
            (&MINUTE, "*/15", "*/15"),
            (&MINUTE, "0-59/15", "0-59/15"),
            (&MINUTE, "5/15", "5-59/15"),
            (&MINUTE, "30,5,30", "5,30"),
            (&MINUTE, "*/30,5", "*/30,5"),
            (&DAY_OF_WEEK, "SUN,mon-FRI", "0,1-5"),
            (&DAY_OF_WEEK, "5-7", "5-0"),
        ] {
            let field = Field::parse(kind, text).expect(text);
            assert_eq!(field.canonical(), canonical, "{text}");
            let again = Field::parse(kind, canonical).expect(canonical);
            assert_eq!(again.is_periodic(), field.is_periodic(), "{text}");
            assert_eq!(values(kind, text), values(kind, canonical), "{text}");
        }
    }
}
