//! Generated programs do under the machine what they do under rustc's own lowering. These are a few
//! of them; `cargo run -p piton-difftest -- --programs 1000 --seed 1000` runs others.

use difftest::batch::{Program, Verdict, Workshop};
use difftest::generate;

/// As many as are built in the time that a test may take.
const SEEDS: std::ops::Range<u64> = 41..101;

#[test]
fn programs_mean_what_rustc_makes_of_them() {
    let program = |seed: u64| Program {
        id: format!("seed {seed}"),
        source: generate::program(seed).to_source(),
    };
    let programs: Vec<_> = SEEDS.map(program).collect();
    let reports = Workshop::new("generated").run(&programs).expect("the batch builds");
    let mut wrong = String::new();
    for (program, report) in programs.iter().zip(reports) {
        if !matches!(report.verdict, Verdict::Agrees(_)) {
            wrong.push_str(&report.to_text(&program.source));
            wrong.push_str("make it small: cargo run -p piton-difftest -- --programs 1 --seed …\n");
        }
    }
    assert!(wrong.is_empty(), "{wrong}");
}
