//! Figures, each beside the raw limit of the same run, as a table for people and as JSON.

use std::fmt::Write as _;
use std::time::Duration;

use comfy_table::{Cell, CellAlignment, Table, presets};
use serde::Serialize;

use crate::database::StoreKind;

/// What a figure counts.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize)]
#[serde(rename_all = "snake_case")]
pub(crate) enum Unit {
    /// Events per second.
    PerSecond,
    /// Microseconds.
    Micros,
    /// Bytes.
    Bytes,
    /// A plain number or quotient.
    Plain,
}

/// What a figure is meant to reach.
#[derive(Clone, Copy, Debug, PartialEq, Serialize)]
#[serde(rename_all = "snake_case")]
pub(crate) enum Target {
    /// The quotient of figure and raw limit, from below.
    RatioAtLeast(f64),
    /// The quotient of figure and raw limit, from above.
    RatioAtMost(f64),
    /// The figure itself, from below.
    AtLeast(f64),
    /// The figure itself, from above.
    AtMost(f64),
}

/// One measured quantity.
#[derive(Clone, Debug, Serialize)]
pub(crate) struct Figure {
    workload: &'static str,
    store: Option<StoreKind>,
    name: String,
    value: f64,
    unit: Unit,
    raw: Option<f64>,
    ratio: Option<f64>,
    target: Option<Target>,
    met: Option<bool>,
    #[serde(skip_serializing_if = "String::is_empty")]
    detail: String,
}

impl Figure {
    /// A figure without a store, limit or target.
    pub(crate) fn new(
        workload: &'static str,
        name: impl Into<String>,
        value: f64,
        unit: Unit,
    ) -> Self {
        Self {
            workload,
            store: None,
            name: name.into(),
            value,
            unit,
            raw: None,
            ratio: None,
            target: None,
            met: None,
            detail: String::new(),
        }
    }

    /// A rate.
    pub(crate) fn rate(workload: &'static str, name: impl Into<String>, per_second: f64) -> Self {
        Self::new(workload, name, per_second, Unit::PerSecond)
    }

    /// A length of time.
    pub(crate) fn time(workload: &'static str, name: impl Into<String>, time: Duration) -> Self {
        Self::new(workload, name, micros(time), Unit::Micros)
    }

    /// Says which store was measured.
    pub(crate) fn store(mut self, store: StoreKind) -> Self {
        self.store = Some(store);
        self
    }

    /// Puts the raw limit beside the figure, in the same unit.
    pub(crate) fn raw(mut self, raw: f64) -> Self {
        self.raw = Some(raw);
        self.ratio = (raw != 0.0).then(|| self.value / raw);
        self
    }

    /// Sets the target of the figure. Called after [`Figure::raw`].
    pub(crate) fn target(mut self, target: Target) -> Self {
        self.target = Some(target);
        self.met = match target {
            Target::RatioAtLeast(bound) => self.ratio.map(|ratio| ratio >= bound),
            Target::RatioAtMost(bound) => self.ratio.map(|ratio| ratio <= bound),
            Target::AtLeast(bound) => Some(self.value >= bound),
            Target::AtMost(bound) => Some(self.value <= bound),
        };
        self
    }

    /// Says under which settings the figure was reached.
    pub(crate) fn detail(mut self, detail: impl Into<String>) -> Self {
        self.detail = detail.into();
        self
    }

    fn row(&self) -> [Cell; 8] {
        let number = |value| Cell::new(show(value, self.unit)).set_alignment(CellAlignment::Right);
        let ratio = self.ratio.map(|ratio| show(ratio, Unit::Plain)).unwrap_or_default();
        let target = self.target.map(|target| target.show(self.unit)).unwrap_or_default();
        let met = match self.met {
            Some(true) => "yes",
            Some(false) => "NO",
            None => "",
        };
        [
            Cell::new(self.workload),
            Cell::new(self.store.map(StoreKind::as_str).unwrap_or_default()),
            Cell::new(&self.name),
            number(self.value),
            self.raw.map_or_else(|| Cell::new(""), number),
            Cell::new(ratio).set_alignment(CellAlignment::Right),
            Cell::new(format!("{target} {met}").trim()),
            Cell::new(&self.detail),
        ]
    }
}

impl Target {
    fn show(self, unit: Unit) -> String {
        match self {
            Self::RatioAtLeast(bound) => format!("≥ {bound} ×"),
            Self::RatioAtMost(bound) => format!("≤ {bound} ×"),
            Self::AtLeast(bound) => format!("≥ {}", show(bound, unit)),
            Self::AtMost(bound) => format!("≤ {}", show(bound, unit)),
        }
    }
}

/// All figures of one run, with their conditions.
#[derive(Debug, Default, Serialize)]
pub(crate) struct Report {
    settings: Vec<(String, String)>,
    figures: Vec<Figure>,
}

impl Report {
    /// Notes something that the figures depend on.
    pub(crate) fn setting(&mut self, name: impl Into<String>, value: impl ToString) {
        let (name, value) = (name.into(), value.to_string());
        if !self.settings.iter().any(|(known, _)| *known == name) {
            self.settings.push((name, value));
        }
    }

    /// Adds a figure, and shows it at once: a whole run takes minutes.
    pub(crate) fn add(&mut self, figure: Figure) {
        let ratio = figure.ratio.map(|ratio| format!(" = {} × raw", show(ratio, Unit::Plain)));
        eprintln!(
            "{} {}: {} {}{}",
            figure.workload,
            figure.store.map(StoreKind::as_str).unwrap_or_default(),
            figure.name,
            show(figure.value, figure.unit),
            ratio.unwrap_or_default(),
        );
        self.figures.push(figure);
    }

    /// The figures as a table.
    pub(crate) fn to_table(&self) -> String {
        let mut table = Table::new();
        table.load_style(presets::ASCII_MARKDOWN).set_header([
            "workload",
            "store",
            "figure",
            "value",
            "raw limit",
            "ratio",
            "target",
            "settings",
        ]);
        for figure in &self.figures {
            table.add_row(figure.row());
        }
        let mut text = String::new();
        for (name, value) in &self.settings {
            // Writing to a String cannot fail.
            let _ = writeln!(text, "{name}: {value}");
        }
        let _ = write!(text, "\n{table}");
        text
    }
}

fn micros(time: Duration) -> f64 {
    time.as_secs_f64() * 1e6
}

fn show(value: f64, unit: Unit) -> String {
    match unit {
        Unit::PerSecond => format!("{}/s", thousands(value)),
        Unit::Bytes => format!("{} B", thousands(value)),
        Unit::Micros if value < 1e3 => format!("{value:.1} µs"),
        Unit::Micros if value < 1e6 => format!("{:.2} ms", value / 1e3),
        Unit::Micros => format!("{:.2} s", value / 1e6),
        Unit::Plain if value >= 100.0 => thousands(value),
        Unit::Plain => format!("{value:.2}"),
    }
}

/// A whole number with its thousands apart, or with a decimal if it is small.
fn thousands(value: f64) -> String {
    if value < 100.0 {
        return format!("{value:.1}");
    }
    let digits = format!("{value:.0}");
    let mut shown = String::new();
    for (index, digit) in digits.chars().enumerate() {
        if index > 0 && (digits.len() - index).is_multiple_of(3) {
            shown.push(',');
        }
        shown.push(digit);
    }
    shown
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn numbers_are_readable() {
        assert_eq!(show(1_234_567.0, Unit::PerSecond), "1,234,567/s");
        assert_eq!(show(12.34, Unit::Bytes), "12.3 B");
        assert_eq!(show(68.04, Unit::Micros), "68.0 µs");
        assert_eq!(show(1_500.0, Unit::Micros), "1.50 ms");
        assert_eq!(show(0.5, Unit::Plain), "0.50");
    }

    #[test]
    fn a_target_is_met_on_the_right_side() {
        let rate = Figure::rate("W1", "steps", 60.0).raw(100.0);
        assert_eq!(rate.clone().target(Target::RatioAtLeast(0.5)).met, Some(true));
        assert_eq!(rate.clone().target(Target::RatioAtMost(0.5)).met, Some(false));
        assert_eq!(rate.target(Target::AtMost(59.0)).met, Some(false));
        let alone = Figure::rate("W1", "steps", 60.0);
        assert_eq!(alone.target(Target::RatioAtLeast(0.5)).met, None);
    }
}
