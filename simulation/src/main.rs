//! Simulates many seeds, or one.

use std::sync::Mutex;
use std::sync::atomic::{AtomicU64, Ordering};
use std::time::Instant;

use clap::{Parser, Subcommand};
use simulation::{Fault, Options, Report, Totals, simulate};

/// The engine on virtual time, with faults at every call, and a model of the required properties.
#[derive(Parser)]
struct Arguments {
    #[command(subcommand)]
    command: Command,
}

#[derive(Subcommand)]
enum Command {
    /// Simulates seed after seed until this many runs of workflows were made.
    Run {
        /// The number of runs of workflows.
        #[arg(long, default_value_t = 1_000_000)]
        runs: u64,
        /// The first seed.
        #[arg(long, default_value_t = 0)]
        seed: u64,
        /// The number of concurrent seeds.
        #[arg(long, default_value_t = 1)]
        threads: usize,
    },
    /// Simulates one seed and prints what happened.
    Replay {
        /// The seed.
        seed: u64,
        /// Start no more runs than these.
        #[arg(long)]
        max_runs: Option<usize>,
        /// Inject no more faults than these.
        #[arg(long)]
        max_faults: Option<u64>,
        /// Do not inject these faults.
        #[arg(long)]
        without: Vec<Fault>,
        /// Print only events that contain this text.
        #[arg(long)]
        about: Option<String>,
    },
}

fn main() -> std::process::ExitCode {
    let violated = match Arguments::parse().command {
        Command::Run { runs, seed, threads } => run(runs, seed, threads),
        Command::Replay { seed, max_runs, max_faults, without, about } => {
            let without = without.into_iter().collect();
            let report = simulate(&Options {
                seed,
                max_runs,
                max_faults,
                without,
                is_recorded: true,
                ..Options::default()
            });
            for line in report.events.lines() {
                if about.as_ref().is_none_or(|about| line.contains(about)) {
                    println!("{line}");
                }
            }
            let mut totals = Totals::default();
            totals.add(&report);
            println!("{totals}");
            report.violations.iter().for_each(|violation| println!("violated: {violation}"));
            !report.violations.is_empty()
        }
    };
    if violated { 1.into() } else { 0.into() }
}

/// Returns whether something was violated.
fn run(runs: u64, first: u64, threads: usize) -> bool {
    let began = Instant::now();
    let next = AtomicU64::new(first);
    let totals = Mutex::new(Totals::default());
    let violated = Mutex::new(None);
    let work = || loop {
        let seed = next.fetch_add(1, Ordering::Relaxed);
        let report = simulate(&Options::of(seed));
        let mut totals = totals.lock().expect("nobody panics with it");
        totals.add(&report);
        let mut violated = violated.lock().expect("nobody panics with it");
        if !report.violations.is_empty() && violated.is_none() {
            *violated = Some(report);
        }
        if totals.runs >= runs || violated.is_some() {
            return;
        }
        if totals.seeds.is_multiple_of(1_000) {
            eprintln!("{} seeds, {} runs, {:.0?}", totals.seeds, totals.runs, began.elapsed());
        }
    };
    std::thread::scope(|scope| (0..threads.max(1)).for_each(|_| drop(scope.spawn(work))));
    let totals = totals.into_inner().expect("nobody panics with it");
    let took = began.elapsed();
    println!("{totals}{took:.1?}, {:.0} runs/s", totals.runs as f64 / took.as_secs_f64());
    let violated: Option<Report> = violated.into_inner().expect("nobody panics with it");
    let Some(report) = violated else {
        println!("nothing was violated");
        return false;
    };
    println!("\nseed {}:", report.options.seed);
    report.violations.iter().for_each(|violation| println!("violated: {violation}"));
    let smaller = simulation::shrink(&report.options);
    println!(
        "\nsmallest found: cargo run --release -p piton-simulation -- replay {}",
        smaller.options
    );
    smaller.violations.iter().for_each(|violation| println!("violated: {violation}"));
    true
}
