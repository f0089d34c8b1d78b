//! Mutants have every mistake in them. They are compiled by
//! `cargo run -p piton-difftest -- --mutants 100 --seed 1000`, which compares what rustc says against both
//! lowerings; with `--shrink 0` they are not made small.

use std::collections::BTreeMap;

use difftest::mutants::{self, Mistake, Mutant};

#[test]
fn every_mistake_is_made() {
    let mut made: BTreeMap<Mistake, usize> = BTreeMap::new();
    for seed in 1..400 {
        *made.entry(mutants::mutant(seed).mistake).or_default() += 1;
    }
    assert!(made.len() == 25 && made.values().all(|count| *count > 1), "{made:?}");
}

#[test]
fn a_mutant_differs_from_its_program_in_one_place() {
    for seed in 1..50 {
        let program = difftest::generate::small_program(seed).to_source();
        let Mutant { mistake, node, .. } = mutants::mutant(seed);
        // What is borrowed is used behind a statement that may be long.
        if matches!(mistake, Mistake::Lent | Mistake::LentMut) {
            continue;
        }
        let mutant = node.to_source();
        let same = |a: &str, b: &str| a.bytes().zip(b.bytes()).take_while(|(a, b)| a == b).count();
        let reversed = |text: &str| text.chars().rev().collect::<String>();
        let before = same(&program, &mutant);
        let after = same(&reversed(&program), &reversed(&mutant));
        assert_ne!(program, mutant, "seed {seed}");
        assert!(mutant.len() < before + after + 200, "seed {seed}:\n{program}\n{mutant}");
    }
}
