//! The printed reports: the input, the results, the costs, the checks.

use std::collections::HashMap;
use std::fmt::Write as _;
use std::time::Duration;

use comfy_table::{CellAlignment, Table, presets};

use super::input::Input;
use super::order::{APPROVAL_LIMIT_CENTS, Outcome};
use super::runs::{Run, Standing};
use super::storage::Storage;
use super::verify::Check;

/// The results of the job, and its cost.
#[derive(Clone, Debug)]
pub struct Report {
    /// All runs, as they stood in the end.
    pub runs: Vec<Run>,
    /// How long this part of the job took.
    pub elapsed: Duration,
    /// The commits made in that time.
    pub steps: u64,
    /// The files that were written.
    pub storage: Vec<Storage>,
    /// The calls that the gateway got.
    pub calls: u64,
    /// The attempts it took to make them.
    pub attempts: u64,
}

impl Report {
    /// The runs that failed or are blocked, with the reason.
    pub fn failures(&self) -> impl Iterator<Item = (&Run, &str)> {
        self.runs.iter().filter_map(|run| match &run.standing {
            Standing::Failed(reason) | Standing::Blocked(reason) => Some((run, reason.as_str())),
            _ => None,
        })
    }

    /// The report as text.
    pub fn render(&self, input: &Input) -> String {
        let mut text = format!("{}\n", self.outcomes(input));
        for (run, reason) in self.failures() {
            // Writing to a String cannot fail, here and below.
            let _ = writeln!(text, "{}: {reason}", run.order_id);
        }
        let seconds = self.elapsed.as_secs_f64();
        let rate = (self.steps as f64 / seconds.max(0.001)).round() as u64;
        let _ = writeln!(
            text,
            "\nTook {seconds:.1} s for {} steps, {} per second.",
            grouped(self.steps),
            grouped(rate)
        );
        let _ = writeln!(
            text,
            "The gateway got {} calls in {} attempts.",
            grouped(self.calls),
            grouped(self.attempts)
        );
        for Storage { path, bytes, rows } in &self.storage {
            let rows: Vec<_> =
                rows.iter().map(|(table, count)| format!("{table} {}", grouped(*count))).collect();
            let (path, size) = (path.display(), grouped(bytes.div_ceil(1024)));
            let _ = writeln!(text, "Rows in {path} ({size} KiB): {}.", rows.join(", "));
        }
        text
    }

    /// The table by outcome.
    fn outcomes(&self, input: &Input) -> Table {
        const NAMES: [&str; 6] =
            ["completed", "declined", "out of stock", "expired", "failed", "unfinished"];
        let values: HashMap<_, _> =
            input.orders.iter().map(|order| (order.id.as_str(), order.total_cents())).collect();
        let mut counts = [(0_u64, 0_u64); NAMES.len()];
        for run in &self.runs {
            let place = match &run.standing {
                Standing::Ended(Outcome::Completed { .. }) => 0,
                Standing::Ended(Outcome::Declined { .. }) => 1,
                Standing::Ended(Outcome::OutOfStock { .. }) => 2,
                Standing::Ended(Outcome::Expired) => 3,
                Standing::Failed(_) => 4,
                Standing::Running | Standing::Waiting | Standing::Blocked(_) => 5,
            };
            counts[place].0 += 1;
            counts[place].1 += values.get(run.order_id.as_str()).copied().unwrap_or(0);
        }
        let mut table = table(["Outcome", "Orders", "Value"]);
        for (name, (orders, cents)) in NAMES.into_iter().zip(counts) {
            // The last two are worth a line only when there are such orders.
            if orders > 0 || !["failed", "unfinished"].contains(&name) {
                table.add_row([name.to_owned(), grouped(orders), money(cents)]);
            }
        }
        let orders = counts.iter().map(|(orders, _)| orders).sum();
        let cents = counts.iter().map(|(_, cents)| cents).sum();
        table.add_row(["all".to_owned(), grouped(orders), money(cents)]);
        table
    }
}

/// What the input holds, as text: how much, and what cannot be used.
pub fn render_input(name: &str, input: &Input) -> String {
    let large = input.orders.iter().filter(|order| order.is_large()).count();
    let mut text = format!(
        "{name}: {}, {large} above {}, {}\n",
        count(input.orders.len(), "order"),
        money(APPROVAL_LIMIT_CENTS),
        count(input.broken.len(), "broken line"),
    );
    for line in &input.broken {
        let _ = writeln!(text, "  {line}");
    }
    if !input.left_out.is_empty() {
        let (orders, ids) = (count(input.left_out.len(), "order"), input.left_out.join(", "));
        let _ = writeln!(text, "  {orders} left out because of that: {ids}");
    }
    text
}

/// The checks as a table, the violations below it.
pub fn render_checks(checks: &[Check]) -> String {
    let mut table = table(["Rule", "Checked", "Violations"]);
    for check in checks {
        let violations = check.violations.len() as u64;
        table.add_row([check.rule.to_owned(), grouped(check.examined as u64), grouped(violations)]);
    }
    let mut text = format!("{table}\n");
    for check in checks.iter().filter(|check| !check.violations.is_empty()) {
        let _ = writeln!(text, "\nnot so: {}", check.rule);
        for violation in &check.violations {
            let _ = writeln!(text, "  {violation}");
        }
    }
    text
}

/// A table whose columns after the first are numbers.
fn table<const N: usize>(header: [&str; N]) -> Table {
    let mut table = Table::new();
    table.load_style(presets::UTF8_BORDERS_ONLY).set_header(header);
    for column in table.column_iter_mut().skip(1) {
        column.set_cell_alignment(CellAlignment::Right);
    }
    table
}

/// A number of things: `1 order`, `2 orders`.
pub fn count(number: usize, noun: &str) -> String {
    let plural = if number == 1 { "" } else { "s" };
    format!("{} {noun}{plural}", grouped(number as u64))
}

/// A number with its thousands set apart: `1,234`.
pub fn grouped(number: u64) -> String {
    let digits = number.to_string();
    let mut text = String::with_capacity(digits.len() + digits.len() / 3);
    for (place, digit) in digits.chars().enumerate() {
        if place > 0 && (digits.len() - place).is_multiple_of(3) {
            text.push(',');
        }
        text.push(digit);
    }
    text
}

/// Cents as money: `1,234.50`.
fn money(cents: u64) -> String {
    format!("{}.{:02}", grouped(cents / 100), cents % 100)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn numbers_are_set_for_people() {
        assert_eq!(grouped(0), "0");
        assert_eq!(grouped(999), "999");
        assert_eq!(grouped(1_234_567), "1,234,567");
        assert_eq!(money(100_050), "1,000.50");
        assert_eq!(count(1, "order"), "1 order");
        assert_eq!(count(2_000, "order"), "2,000 orders");
    }

    #[test]
    fn violations_are_listed_under_their_rule() {
        let checks = [
            Check { rule: "all is well", examined: 3, violations: Vec::new() },
            Check { rule: "nothing is lost", examined: 2, violations: vec!["A: is lost".into()] },
        ];
        let text = render_checks(&checks);
        assert!(text.contains("\nnot so: nothing is lost\n  A: is lost\n"), "{text}");
        assert!(!text.contains("not so: all is well"), "{text}");
    }
}
