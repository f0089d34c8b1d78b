//! Generated programs do under the machine what they do under rustc's own lowering. These are a few
//! of them; `cargo run -p piton-difftest -- --programs 1000 --seed 1000` runs others, and makes those
//! small that do not.

use difftest::batch::{Program, Verdict, Workshop};
use difftest::generate;

/// As many as are built in the time that a test may take.
const SEEDS: std::ops::Range<u64> = 41..101;

/// Programs that the compiler refuses or compiles to something else. One that has come to agree must go
/// from here.
const OPEN: &[u64] = &[];

#[test]
fn programs_mean_what_rustc_makes_of_them() {
    let program = |seed: u64| Program {
        id: format!("seed {seed}"),
        source: generate::program(seed).to_source(),
    };
    let programs: Vec<_> = SEEDS.map(program).collect();
    let reports = Workshop::new("generated").run(&programs).expect("the batch builds");
    let mut wrong = String::new();
    for ((seed, program), report) in SEEDS.zip(&programs).zip(reports) {
        let agrees = generate::failure(&program.source, &report.verdict).is_none();
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
