//! Mutated workflows. For any tokens, the macros must not panic, must terminate, and must return items that parse
//! or an error.
//!
//! Most mutants are invalid Rust, which exercises the error paths; single mutations of valid workflows are often
//! valid but unusual Rust, which exercises the passes.
//!
//! The mutants are the same in every run. For others, and more of them:
//!
//! ```text
//! PITON_FUZZ_CASES=100000 PITON_FUZZ_SEED=7 cargo test --release -p piton-macros --lib fuzz
//! ```

mod mutation;
mod sources;

use std::time::{Duration, Instant};

use proc_macro2::TokenStream;
use proptest::prelude::*;
use proptest::test_runner::{RngAlgorithm, TestRng, TestRunner};

use crate::diagnostics::Diagnostics;
use crate::fuzz::mutation::{mutated, mutation};
use crate::fuzz::sources::{ARGUMENTS, SOURCES};

/// What no expansion may take, on the slowest of machines. They take milliseconds.
const PATIENCE: Duration = Duration::from_secs(20);

/// Expands `item` by every macro.
fn expand_all(item: &TokenStream) {
    expand_all_with(&TokenStream::new(), item);
    is_valid(item, crate::derives::signal::expand(item.clone(), Diagnostics::new()));
}

/// Expands `item` by every attribute, with these arguments.
fn expand_all_with(arguments: &TokenStream, item: &TokenStream) {
    if std::env::var_os("PITON_FUZZ_SHOW").is_some() {
        // What is printed last has taken the process down.
        eprintln!("#[workflow({arguments})]\n{item}\n");
    }
    for expand in
        [crate::pipeline::expand, crate::activity::expand, crate::attributes::deterministic::expand]
    {
        let began = Instant::now();
        is_valid(item, expand(arguments.clone(), item.clone(), Diagnostics::new()));
        assert!(began.elapsed() < PATIENCE, "this takes too long:\n{item}");
    }
}

/// What a macro gives parses or says what is wrong. An item that does not parse may be given back
/// as it was, for rustc to say so.
fn is_valid(item: &TokenStream, output: TokenStream) {
    let text = output.to_string();
    if std::env::var_os("PITON_FUZZ_LAYOUT").is_some() {
        assert!(!text.contains("a mistake in piton"), "{item}");
    }
    if let Err(error) = syn::parse2::<syn::File>(output) {
        let is_given_back = syn::parse2::<syn::File>(item.clone()).is_err();
        assert!(is_given_back || text.contains("compile_error"), "{error} in {text}");
    }
}

/// Runs `check` on values that are the same in every run. `PITON_FUZZ_CASES` asks for more than 256 of
/// them, and `PITON_FUZZ_SEED` for others; a failure prints the mutations that lead to it.
fn for_all<S: Strategy>(values: &S, check: impl Fn(S::Value)) {
    let number = |name: &str| std::env::var(name).ok()?.parse::<u64>().ok();
    let cases = number("PITON_FUZZ_CASES").unwrap_or(256);
    let mut seed = [0; 32];
    seed[..8].copy_from_slice(&number("PITON_FUZZ_SEED").unwrap_or(1).to_le_bytes());
    let config = ProptestConfig {
        cases: u32::try_from(cases).unwrap_or(u32::MAX),
        failure_persistence: None,
        ..Default::default()
    };
    let rng = TestRng::from_seed(RngAlgorithm::ChaCha, &seed);
    let result = TestRunner::new_with_rng(config, rng).run(values, |value| {
        check(value);
        Ok(())
    });
    if let Err(failure) = result {
        panic!("{failure}");
    }
}

#[test]
fn mutants_are_compiled_or_refused() {
    let values = (0..SOURCES.len(), prop::collection::vec(mutation(), 1..6));
    for_all(&values, |(workflow, mutations)| expand_all(&mutated(&SOURCES[workflow], &mutations)));
}

#[test]
fn arguments_are_read_or_refused() {
    let item: TokenStream = "async fn f() -> u8 { act(1).await }".parse().expect("tokens");
    let values = (0..ARGUMENTS.len(), prop::collection::vec(mutation(), 0..4));
    for_all(&values, |(known, mutations)| {
        expand_all_with(&mutated(ARGUMENTS[known], &mutations), &item);
    });
}

/// Both at once: what arguments turn on and off meets bodies of all kinds.
#[test]
fn mutants_with_arguments_are_compiled_or_refused() {
    let mutations = || prop::collection::vec(mutation(), 0..3);
    let values = (0..ARGUMENTS.len(), mutations(), 0..SOURCES.len(), mutations());
    for_all(&values, |(known, of_arguments, workflow, of_body)| {
        let arguments = mutated(ARGUMENTS[known], &of_arguments);
        expand_all_with(&arguments, &mutated(&SOURCES[workflow], &of_body));
    });
}
