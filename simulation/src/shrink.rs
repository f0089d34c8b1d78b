//! Making a violation smaller: fewer kinds of faults, fewer faults, fewer runs.

use crate::faults::Fault;
use crate::options::Options;
use crate::report::Report;
use crate::world::simulate;

/// Leaves out of a simulation that violates something whatever it can do without. Every part left
/// out changes what is drawn after it, so what remains may be another violation of the same seed.
pub fn shrink(options: &Options) -> Report {
    let mut smallest = simulate(options);
    let try_out = |smaller: Options, smallest: &mut Report| {
        let report = simulate(&smaller);
        let is_violated = !report.violations.is_empty();
        if is_violated {
            *smallest = report;
        }
        is_violated
    };
    for fault in Fault::ALL {
        let mut without = smallest.options.clone();
        without.without.insert(fault);
        try_out(without, &mut smallest);
    }
    let faults = smallest.faults.values().sum();
    halve(faults, |faults| {
        let smaller = Options { max_faults: Some(faults), ..smallest.options.clone() };
        try_out(smaller, &mut smallest)
    });
    let runs = smallest.runs;
    halve(runs, |runs| {
        let smaller = Options { max_runs: Some(runs as usize), ..smallest.options.clone() };
        try_out(smaller, &mut smallest)
    });
    smallest
}

/// Lowers a number in ever smaller steps for as long as it is accepted.
fn halve(mut number: u64, mut accepts: impl FnMut(u64) -> bool) {
    let mut step = number.div_ceil(2);
    while step > 0 {
        if number >= step && accepts(number - step) {
            number -= step;
        } else {
            step /= 2;
        }
    }
}
