//! The main function of a built batch: it runs every program and prints one line for each result.

use std::io::Write as _;

use serde::{Deserialize, Serialize};

use super::{Divergence, Figures};
use crate::record::{End, Record};
use crate::script::Script;

/// The arguments that every program is run with.
const INPUTS: [i64; 5] = [0, 1, 2, 5, 12];

/// A program as the batch holds it.
#[derive(Clone, Copy, Debug)]
pub struct Case {
    /// Its place in the batch.
    pub index: usize,
    /// Runs rustc's lowering.
    pub plain: fn(Script, i64) -> Record,
    /// Runs the machine, if it takes part.
    pub machine: Option<fn(Script, i64) -> Record>,
}

/// A line of the batch's output.
#[derive(Debug, Serialize, Deserialize)]
pub(super) enum Line {
    /// This program is now run.
    Began(usize),
    /// It was run, and both lowerings did the same.
    Agreed(usize, Figures),
    /// It was run, and they did not.
    Diverged(usize, Box<Divergence>),
}

/// Runs `cases` and prints what came of them. The process's argument is the place of the first one
/// to run.
///
/// # Panics
/// If standard output is closed.
pub fn serve(cases: &[Case]) {
    // Panics of programs are observed, not reported.
    std::panic::set_hook(Box::new(|_| {}));
    let mut out = std::io::stdout().lock();
    let mut say = |line: &Line| {
        let json = serde_json::to_string(line).expect("plain data");
        writeln!(out, "{json}").and_then(|()| out.flush()).expect("someone listens");
    };
    let first = std::env::args().nth(1).and_then(|first| first.parse().ok()).unwrap_or(0);
    for case in cases.iter().filter(|case| case.index >= first) {
        say(&Line::Began(case.index));
        match case.compare() {
            Ok(figures) => say(&Line::Agreed(case.index, figures)),
            Err(divergence) => say(&Line::Diverged(case.index, divergence)),
        }
    }
}

impl Case {
    fn compare(&self) -> Result<Figures, Box<Divergence>> {
        let mut figures = Figures::default();
        for input in INPUTS {
            for script in Script::STANDARD {
                let plain = (self.plain)(script, input);
                figures.runs += 1;
                figures.operations +=
                    plain.turns.iter().map(|turn| turn.started.len()).sum::<usize>();
                figures.returned += usize::from(matches!(plain.end, End::Returned(_)));
                let Some(machine) = self.machine else { continue };
                let machine = machine(script, input);
                if !plain.is_kept_by(&machine) {
                    return Err(Box::new(Divergence { input, script, plain, machine }));
                }
            }
        }
        Ok(figures)
    }
}
