//! Formatting of output.

use std::borrow::Cow;
use std::io::Write as _;
use std::time::Duration;

use comfy_table::{ContentArrangement, Table, presets};
use piton::model::Timestamp;
use serde::Serialize;

/// The output format.
#[derive(Clone, Copy, clap::Args)]
pub(crate) struct Output {
    /// Write JSON
    #[arg(long, global = true)]
    pub(crate) json: bool,
}

impl Output {
    /// What a command has to say: the data as JSON, or the text.
    pub(crate) fn say(self, data: &impl Serialize, text: impl FnOnce() -> String) -> String {
        if self.json { json(data) } else { text() }
    }
}

/// Writes a line to stderr. Whoever has closed it has seen enough.
pub(crate) fn tell(line: &str) {
    let _ = writeln!(std::io::stderr(), "{line}");
}

/// Tells that a list has as many entries as were wanted at most, and how to see others.
pub(crate) fn tell_if_full(count: usize, limit: u32, others: impl FnOnce() -> String) {
    if count > 0 && count == limit as usize {
        tell(&format!("there may be more: {}", others()));
    }
}

/// The text on one line, without characters that control the terminal.
pub(crate) fn plain(text: &str) -> Cow<'_, str> {
    escaped(text, char::is_control)
}

/// The text without characters that control the terminal, besides the ends of its lines.
pub(crate) fn plain_lines(text: &str) -> Cow<'_, str> {
    escaped(text, |c| c.is_control() && c != '\n')
}

fn escaped(text: &str, is_escaped: impl Fn(char) -> bool) -> Cow<'_, str> {
    if !text.contains(&is_escaped) {
        return Cow::Borrowed(text);
    }
    let mut plain = String::with_capacity(text.len());
    for c in text.chars() {
        match is_escaped(c) {
            true => plain.extend(c.escape_default()),
            false => plain.push(c),
        }
    }
    Cow::Owned(plain)
}

/// JSON on lines of its own.
pub(crate) fn json(value: &impl Serialize) -> String {
    // Structs with names, texts, numbers and JSON values always have a JSON form.
    let mut text = serde_json::to_string_pretty(value).unwrap_or_default();
    text.push('\n');
    text
}

/// Columns under titles, without lines.
pub(crate) fn table(titles: &[&str], rows: impl IntoIterator<Item = Vec<String>>) -> String {
    let mut table = Table::new();
    table.load_style(presets::NOTHING).set_content_arrangement(ContentArrangement::Disabled);
    table.set_header(titles.iter().copied());
    for row in rows {
        table.add_row(row.iter().map(|cell| plain(cell)));
    }
    for column in table.column_iter_mut() {
        column.set_padding((0, 2));
    }
    let lines = table.lines().map(|line| line.trim_end().to_owned() + "\n");
    lines.collect()
}

/// A past time, to the second.
pub(crate) fn ago(at: Timestamp, now: Timestamp) -> String {
    format!("{} ({} ago)", seconds(at), rough(now - at))
}

/// A time that may be in the future, to the second.
pub(crate) fn relative(at: Timestamp, now: Timestamp) -> String {
    match at > now {
        true => format!("{} (in {})", seconds(at), rough(at - now)),
        false => ago(at, now),
    }
}

/// A time to the second.
pub(crate) fn seconds(at: Timestamp) -> Timestamp {
    Timestamp(at.0 - at.0.rem_euclid(1_000_000))
}

/// A duration in its two largest units.
fn rough(duration: Duration) -> String {
    let text = humantime::format_duration(Duration::from_secs(duration.as_secs())).to_string();
    text.split(' ').take(2).collect::<Vec<_>>().join(" ")
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn times_are_told_to_the_second_and_from_now() {
        let at = |seconds: i64| Timestamp(1_790_000_000_000_000 + seconds * 1_000_000);
        assert_eq!(relative(at(0), at(0)), "2026-09-21T14:13:20Z (0s ago)");
        assert_eq!(relative(at(90_061), at(0)), "2026-09-22T15:14:21Z (in 1day 1h)");
        assert_eq!(ago(Timestamp(at(0).0 + 999_999), at(75)), "2026-09-21T14:13:20Z (1m 14s ago)");
    }

    #[test]
    fn no_text_controls_the_terminal() {
        assert_eq!(plain("a\nb\t\u{1b}[31mü\u{9b}"), r"a\nb\t\u{1b}[31mü\u{9b}");
        assert_eq!(plain_lines("a\nb\r"), "a\nb\\r");
        let row = vec!["a\nb".to_owned(), "\u{1b}[2J".to_owned()];
        assert_eq!(table(&["A", "B"], [row]), "A     B\na\\nb  \\u{1b}[2J\n");
    }

    #[test]
    fn tables_have_columns_and_no_lines() {
        let rows =
            [vec!["1".to_owned(), "two".to_owned()], vec!["three".to_owned(), String::new()]];
        assert_eq!(table(&["A", "B"], rows), "A      B\n1      two\nthree\n");
    }
}
