//! Compares programs: the hand-written ones, as many generated ones as wanted, and mutants of such.

use std::collections::BTreeMap;
use std::fmt;
use std::fs;
use std::path::PathBuf;
use std::process::ExitCode;

use clap::Parser;
use difftest::batch::{Complaint, Program, Report, Verdict, Workshop};
use difftest::format::formatted;
use difftest::generate::{self, Node};
use difftest::mutants::{self, Mutant};

/// Compare what rustc and piton make of the same programs.
#[derive(Debug, Parser)]
struct Options {
    /// Run the hand-written programs whose name contains this; all of them if it is empty.
    #[arg(long, value_name = "NAME", num_args = 0..=1, default_missing_value = "")]
    corpus: Option<String>,
    /// Generate and run this many programs.
    #[arg(long, value_name = "COUNT", default_value_t = 0)]
    programs: u64,
    /// Generate this many small programs, break each in one place, and compare what rustc says of both
    /// lowerings.
    #[arg(long, value_name = "COUNT", default_value_t = 0)]
    mutants: u64,
    /// The seed of the first generated program; the others follow it.
    #[arg(long, default_value_t = 1)]
    seed: u64,
    /// Generate and run the programs of these seeds.
    #[arg(long, value_name = "SEED", value_delimiter = ',', num_args = 1..)]
    seeds: Vec<u64>,
    /// How many programs are built into one crate.
    #[arg(long, value_name = "COUNT", default_value_t = 200)]
    batch: usize,
    /// How many of the generated programs that fail in one way are made as small as possible.
    #[arg(long, value_name = "COUNT", default_value_t = 1)]
    shrink: usize,
    /// Write the report of each generated program that fails into a file of its own in this folder, as it
    /// is before it is made small.
    #[arg(long, value_name = "FOLDER")]
    reports: Option<PathBuf>,
    /// Leave the machines out: are the programs programs?
    #[arg(long)]
    plain: bool,
    /// Names the crate that is built. Two commands at the same time need two names.
    #[arg(long, value_name = "NAME", default_value = "explore")]
    name: String,
    /// Print the generated programs or mutants, and do not run them.
    #[arg(long)]
    print: bool,
}

fn main() -> ExitCode {
    match run(&Options::parse()) {
        Ok(true) => ExitCode::SUCCESS,
        Ok(false) => ExitCode::FAILURE,
        Err(error) => {
            eprintln!("error: {error}");
            ExitCode::FAILURE
        }
    }
}

/// Whether all programs agree.
fn run(options: &Options) -> Result<bool, Box<dyn std::error::Error>> {
    let mut workshop = Workshop::new(&options.name);
    workshop.machines = !options.plain;
    let mut tally = Tally::default();
    if let Some(filter) = &options.corpus {
        let mut programs = difftest::corpus::load()?;
        programs.retain(|program| program.id.contains(filter));
        for (program, report) in programs.iter().zip(workshop.run(&programs)?) {
            tally.add(&report);
            print!("{}", report.to_text(&program.source));
        }
    }
    let mut all = options.seeds.clone();
    all.extend(options.seed..options.seed + options.programs);
    let mut shrunk: BTreeMap<String, usize> = BTreeMap::new();
    for seeds in all.chunks(options.batch.max(1)) {
        let nodes: Vec<Node> = seeds.iter().map(|seed| generate::program(*seed)).collect();
        let programs: Vec<Program> = seeds
            .iter()
            .zip(&nodes)
            .map(|(seed, node)| Program { id: format!("seed {seed}"), source: node.to_source() })
            .collect();
        if options.print {
            programs.into_iter().for_each(|program| println!("{}", formatted(&program.source)));
            continue;
        }
        for (node, mut report) in nodes.into_iter().zip(workshop.run(&programs)?) {
            let failure = generate::failure(&node.to_source(), &report.verdict);
            let is_expected = failure.is_none() && matches!(report.verdict, Verdict::Refused(_));
            if is_expected {
                tally.expected += 1;
            } else {
                tally.add(&report);
            }
            let Some(failure) = failure else { continue };
            if let Some(folder) = &options.reports {
                fs::create_dir_all(folder)?;
                let text = report.to_text(&formatted(&node.to_source()));
                fs::write(folder.join(format!("{}.txt", report.id.replace(' ', "-"))), text)?;
            }
            let shrunk = shrunk.entry(failure).or_default();
            if *shrunk == options.shrink {
                println!("== {}: {}", report.id, headline(&report.verdict));
                continue;
            }
            *shrunk += 1;
            let shop = Workshop { name: format!("{}-shrink", options.name), ..workshop.clone() };
            let small = generate::shrink(&shop, node, &report.verdict)?;
            let program = Program { id: report.id, source: small.to_source() };
            report = shop.run(std::slice::from_ref(&program))?.swap_remove(0);
            print!("{}", report.to_text(&formatted(&program.source)));
        }
        println!("{tally}");
    }
    if !options.print && options.mutants == 0 {
        println!("{tally}");
    }
    Ok(tally.is_clean() && run_mutants(options)?)
}

/// Whether there are no findings among the mutants.
fn run_mutants(options: &Options) -> Result<bool, Box<dyn std::error::Error>> {
    let workshop = Workshop::new(&options.name);
    let mut outcomes: BTreeMap<&str, usize> = BTreeMap::new();
    let mut shrunk: BTreeMap<String, usize> = BTreeMap::new();
    let mut is_clean = true;
    let seeds: Vec<u64> = (options.seed..options.seed + options.mutants).collect();
    for seeds in seeds.chunks(options.batch.max(1)) {
        let mutants: Vec<Mutant> = seeds.iter().map(|seed| mutants::mutant(*seed)).collect();
        if options.print {
            let source = |mutant: &Mutant| formatted(&mutant.node.to_source());
            mutants.iter().for_each(|mutant| println!("{}", source(mutant)));
            continue;
        }
        let nodes: Vec<Node> = mutants.iter().map(|mutant| mutant.node.clone()).collect();
        for (mutant, judged) in mutants.into_iter().zip(mutants::judge_all(&workshop, &nodes)?) {
            *outcomes.entry(judged.kind()).or_default() += 1;
            let Some(finding) = judged.finding() else { continue };
            is_clean = false;
            let Mutant { seed, mistake, node } = mutant;
            println!("== mutant {seed} ({mistake:?}): {finding}");
            if let Some(folder) = &options.reports {
                fs::create_dir_all(folder)?;
                fs::write(folder.join(format!("mutant-{seed}.txt")), judged.to_text())?;
            }
            let made_small = shrunk.entry(finding).or_default();
            if *made_small < options.shrink {
                *made_small += 1;
                let small = mutants::smallest(&workshop, node, &judged)?;
                println!("{}", small.to_text());
            }
        }
        println!("{outcomes:?}");
    }
    Ok(is_clean)
}

/// The numbers of programs by result.
#[derive(Debug, Default)]
struct Tally {
    agree: usize,
    /// Refused, and they say of themselves that they may be.
    expected: usize,
    diverge: usize,
    refused: usize,
    invalid: usize,
    hung: usize,
    runs: usize,
    operations: usize,
}

impl Tally {
    fn add(&mut self, report: &Report) {
        match &report.verdict {
            Verdict::Agrees(figures) => {
                self.agree += 1;
                self.runs += figures.runs;
                self.operations += figures.operations;
            }
            Verdict::Diverges(_) => self.diverge += 1,
            Verdict::Refused(_) => self.refused += 1,
            Verdict::Invalid(_) => self.invalid += 1,
            Verdict::Hung => self.hung += 1,
        }
    }

    fn is_clean(&self) -> bool {
        self.diverge + self.refused + self.invalid + self.hung == 0
    }
}

impl fmt::Display for Tally {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let Self { agree, expected, diverge, refused, invalid, hung, runs, operations } = self;
        write!(
            f,
            "{agree} agree ({runs} runs, {operations} operations), {expected} refused as they may be, \
             {diverge} diverge, {refused} refused, {hung} do not end, {invalid} invalid"
        )
    }
}

fn headline(verdict: &Verdict) -> String {
    match verdict {
        Verdict::Agrees(_) => "agrees".to_owned(),
        Verdict::Diverges(_) => "diverges".to_owned(),
        Verdict::Hung => "does not end".to_owned(),
        Verdict::Refused(complaints) | Verdict::Invalid(complaints) => {
            complaints.first().map_or("refused", Complaint::headline).to_owned()
        }
    }
}
