//! Generated programs do as machines what they do under rustc's own lowering. These are a few of them;
//! `cargo run -p piton-difftest -- --programs 1000 --seed 1000` runs others, and reduces those that differ.

use difftest::batch::{Program, Verdict, Workshop};
use difftest::generate;

/// How many are compared.
const COUNT: usize = 60;

/// The seed of the first. Programs that a rule may refuse are left out, because each phase of rustc that reports errors
/// needs another build.
const FIRST: u64 = 41;

/// Seeds of programs that the compiler refuses or compiles to something else. One that agrees must be removed from here.
const OPEN: &[u64] = &[];

#[test]
fn programs_mean_what_rustc_makes_of_them() {
    let program = |seed: u64| Program {
        id: format!("seed {seed}"),
        source: generate::program(seed).to_source(),
    };
    let seeds = (FIRST..).map(|seed| (seed, program(seed)));
    let seeds = seeds.filter(|(_, program)| !generate::may_be_refused(&program.source));
    let (seeds, programs): (Vec<u64>, Vec<Program>) = seeds.take(COUNT).unzip();
    let reports = Workshop::new("generated").run_in_batches(&programs, COUNT / 2);
    let reports = reports.expect("the batches build");
    let mut wrong = String::new();
    for ((seed, program), report) in seeds.into_iter().zip(&programs).zip(reports) {
        let agrees = matches!(report.verdict, Verdict::Agrees(_));
        let is_open = OPEN.contains(&seed) && !matches!(report.verdict, Verdict::Invalid(_));
        if agrees && is_open {
            wrong.push_str(&format!("seed {seed} agrees now: remove it from the list\n"));
        } else if !agrees && !is_open {
            wrong.push_str(&report.to_text(&program.source));
            wrong.push_str("reduce it: cargo run -p piton-difftest -- --seeds …\n");
        }
    }
    assert!(wrong.is_empty(), "{wrong}");
}
