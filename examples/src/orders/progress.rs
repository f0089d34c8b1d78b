//! Shows the progress of the job: a bar on a terminal, plain lines elsewhere.

use std::fmt;
use std::io::{IsTerminal as _, stdout};
use std::time::{Duration, Instant};

use indicatif::{ProgressBar, ProgressDrawTarget, ProgressStyle};

use super::report::grouped;
use super::runs::{Run, Standing};

/// How the job stands.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Tally {
    /// Orders that ended, one way or another.
    pub done: u64,
    /// Orders that wait for approval.
    pub waiting: u64,
    /// Orders whose run failed or is blocked.
    pub failed: u64,
    /// Orders under way, the waiting ones not counted.
    pub running: u64,
    /// Commits so far, of all runs.
    pub steps: u64,
}

impl Tally {
    /// Counts runs.
    pub fn of(runs: &[Run]) -> Self {
        let mut tally = Self::default();
        for run in runs {
            tally.steps += run.steps;
            match run.standing {
                Standing::Ended(_) => tally.done += 1,
                Standing::Waiting => tally.waiting += 1,
                Standing::Failed(_) | Standing::Blocked(_) => tally.failed += 1,
                Standing::Running => tally.running += 1,
            }
        }
        tally
    }

    /// Whether nothing will change any more.
    pub fn is_settled(&self) -> bool {
        self.waiting == 0 && self.running == 0
    }
}

/// How often a plain line is printed at most.
const PLAIN_INTERVAL: Duration = Duration::from_secs(1);
/// Over which time the steps per second are taken at least.
const RATE_INTERVAL: Duration = Duration::from_secs(1);

/// Shows tallies.
#[derive(Debug)]
pub struct Progress {
    /// Hidden when plain lines are printed.
    bar: ProgressBar,
    total: u64,
    /// What was printed last, and when, if plain lines are printed.
    printed: Option<(Instant, Tally)>,
    /// Where the current rate began.
    rate_from: (Instant, u64),
    steps_per_second: u64,
}

impl Progress {
    /// Begins to show how `total` orders get on, of which `tally` is known. With `plain`, lines are
    /// printed even on a terminal, because something else is written there as well.
    pub fn new(total: u64, tally: &Tally, plain: bool) -> Self {
        let is_plain = plain || !stdout().is_terminal();
        let target =
            if is_plain { ProgressDrawTarget::hidden() } else { ProgressDrawTarget::stdout() };
        let style = ProgressStyle::with_template("{bar:30} {pos}/{len} done{msg}  {elapsed}")
            .expect("the template names only keys that exist");
        let bar = ProgressBar::with_draw_target(Some(total), target).with_style(style);
        let now = Instant::now();
        Self {
            bar,
            total,
            printed: is_plain.then_some((now, *tally)),
            rate_from: (now, tally.steps),
            steps_per_second: 0,
        }
    }

    /// Shows a tally.
    pub fn show(&mut self, tally: &Tally) {
        let now = Instant::now();
        let (since, steps) = self.rate_from;
        let elapsed = now - since;
        if elapsed >= RATE_INTERVAL {
            let made = tally.steps.saturating_sub(steps);
            self.steps_per_second = (made as f64 / elapsed.as_secs_f64()).round() as u64;
            self.rate_from = (now, tally.steps);
        }
        let line = Line { tally, steps_per_second: self.steps_per_second };
        self.bar.set_message(line.to_string());
        self.bar.set_position(tally.done);
        if let Some((at, printed)) = &mut self.printed
            && now - *at >= PLAIN_INTERVAL
            && printed != tally
        {
            println!("{}/{} done{line}", tally.done, self.total);
            (*at, *printed) = (now, *tally);
        }
    }

    /// Removes the bar.
    pub fn finish(&self) {
        self.bar.finish_and_clear();
    }
}

/// What follows the number of orders done.
struct Line<'a> {
    tally: &'a Tally,
    steps_per_second: u64,
}

impl fmt::Display for Line<'_> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let Tally { waiting, failed, running, .. } = self.tally;
        let rate = grouped(self.steps_per_second);
        write!(f, ", {running} running, {waiting} waiting, {failed} failed, {rate} steps/s")
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::orders::order::Outcome;

    #[test]
    fn a_tally_counts_runs_by_where_they_stand() {
        let run = |standing| Run { run_id: "r".into(), order_id: "A".into(), steps: 3, standing };
        let tally = Tally::of(&[
            run(Standing::Running),
            run(Standing::Waiting),
            run(Standing::Ended(Outcome::Expired)),
            run(Standing::Failed("no luck".into())),
            run(Standing::Blocked("no code".into())),
        ]);
        assert_eq!(tally, Tally { done: 1, waiting: 1, failed: 2, running: 1, steps: 15 });
        assert!(!tally.is_settled());
        assert!(Tally { waiting: 0, running: 0, ..tally }.is_settled());
    }
}
