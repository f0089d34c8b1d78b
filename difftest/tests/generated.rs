//! Generated programs do under the machine what they do under rustc's own lowering. These are a few
//! of them; `cargo run -p piton-difftest -- --programs 1000 --seed 1000` runs others, and makes those
//! small that do not. Of some of those it is said in their source that a rule may refuse them, and in which line:
//! they may be refused there, and by that rule, or agree.

use difftest::batch::{Program, Verdict, Workshop};
use difftest::generate;

/// As many as are built in the time that a test may take.
const COUNT: usize = 60;

/// Where they begin. Those that a rule may refuse are left out, because each sort of error is a build more.
const FIRST: u64 = 41;

/// Programs that the compiler refuses or compiles to something else. One that has come to agree must go
/// from here.
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
    let reports = Workshop::new("generated").run(&programs).expect("the batch builds");
    let mut wrong = String::new();
    for ((seed, program), report) in seeds.into_iter().zip(&programs).zip(reports) {
        let agrees = matches!(report.verdict, Verdict::Agrees(_));
        let is_open = OPEN.contains(&seed) && !matches!(report.verdict, Verdict::Invalid(_));
        if agrees && is_open {
            wrong.push_str(&format!("seed {seed} agrees by now: take it off the list\n"));
        } else if !agrees && !is_open {
            wrong.push_str(&report.to_text(&program.source));
            wrong.push_str("make it small: cargo run -p piton-difftest -- --seeds …\n");
        }
    }
    assert!(wrong.is_empty(), "{wrong}");
}
