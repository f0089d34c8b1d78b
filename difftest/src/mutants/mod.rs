//! Mutants: small programs with one mistake, whose errors must be those of rustc.
//!
//! A mutant is compiled in each lowering alone. Where rustc refuses the plain function, the workflow must be
//! refused, too: with one of the same errors in the same line, with no more of them than a few, and in no words
//! of generated code. Or a rule of piton is named, which is looked at before rustc is. Where rustc accepts
//! the function, both must do the same, or the workflow must be refused by a rule.

mod edits;
mod judge;
mod words;

use std::collections::BTreeSet;
use std::fmt::Write as _;

use crate::batch::{BatchError, Complaint, Lowering, Program, Verdict, Workshop};
use crate::format::formatted;
use crate::generate::{self, Node};
use crate::script::Rng;

pub use edits::Mistake;
pub use judge::{Fault, Refusal, judge};

/// A program with a mistake.
#[derive(Clone, Debug)]
pub struct Mutant {
    /// The seed of both.
    pub seed: u64,
    /// What is wrong with it.
    pub mistake: Mistake,
    /// The program.
    pub node: Node,
}

/// What became of a mutant.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Outcome {
    /// Both lowerings are refused, in the same way or by a rule.
    Refused(Refusal),
    /// rustc accepts it, and both lowerings do the same.
    Agrees,
    /// rustc accepts it, and a rule of piton does not.
    RefusedAlone,
    /// The workflow is not refused as it should be.
    Faulty(Fault),
    /// rustc accepts it, and the workflow does something else, or is refused without a rule.
    Fails(Verdict),
    /// rustc accepts both, and warns of one only.
    Warns(Vec<String>),
}

/// A mutant and what became of it.
#[derive(Clone, Debug)]
pub struct Judged {
    /// What became of it.
    pub outcome: Outcome,
    /// The source that was compiled.
    pub source: String,
    plain: Vec<Complaint>,
    machine: Vec<Complaint>,
}

/// The mutant that `seed` names.
pub fn mutant(seed: u64) -> Mutant {
    let program = generate::small_program(seed);
    // Another sequence than the one that has written the program.
    let mut rng = Rng::new(!seed);
    let edits = edits::edits(&program);
    // Each mistake is as likely as any other, however often it could be made.
    let mistakes: BTreeSet<Mistake> = edits.iter().map(|(mistake, _)| *mistake).collect();
    let mistake = rng.pick(&Vec::from_iter(mistakes));
    let edits: Vec<_> = edits.iter().filter(|(other, _)| *other == mistake).collect();
    let node = edits[rng.below(edits.len())].1(&mut rng);
    Mutant { seed, mistake, node }
}

/// Compiles mutants in both lowerings, and runs those that are none after all.
///
/// # Errors
/// See [`BatchError`].
pub fn judge_all(workshop: &Workshop, nodes: &[Node]) -> Result<Vec<Judged>, BatchError> {
    let program = |node: &Node| Program { id: String::new(), source: formatted(&node.to_source()) };
    let programs: Vec<Program> = nodes.iter().map(program).collect();
    let shop =
        |kind: &str| Workshop { name: format!("{}-{kind}", workshop.name), ..workshop.clone() };
    let plain = shop("plain").check(&programs, Lowering::Plain)?;
    let (valid, broken): (Vec<usize>, Vec<usize>) =
        (0..programs.len()).partition(|index| plain[*index].is_empty());
    let some = |indices: &[usize]| indices.iter().map(|index| programs[*index].clone()).collect();
    let some: &dyn Fn(&[usize]) -> Vec<Program> = &some;
    let machine = shop("machine").check(&some(&broken), Lowering::Machine)?;
    let reports = if valid.is_empty() { Vec::new() } else { workshop.run(&some(&valid))? };
    let mut judged: Vec<Option<Judged>> = vec![None; programs.len()];
    let source = |index: usize| programs[index].source.clone();
    for (index, machine) in broken.into_iter().zip(machine) {
        let plain = plain[index].clone();
        let outcome =
            judge(&source(index), &plain, &machine).map_or_else(Outcome::Faulty, Outcome::Refused);
        judged[index] = Some(Judged { outcome, source: source(index), plain, machine });
    }
    for (index, report) in valid.into_iter().zip(reports) {
        let (plain, machine) = (Vec::new(), Vec::new());
        let outcome = match report.verdict {
            Verdict::Agrees(_) if !report.warnings.is_empty() => Outcome::Warns(report.warnings),
            Verdict::Agrees(_) => Outcome::Agrees,
            Verdict::Refused(complaints) if complaints.iter().all(|c| c.rule().is_some()) => {
                Outcome::RefusedAlone
            }
            verdict => Outcome::Fails(verdict),
        };
        judged[index] = Some(Judged { outcome, source: source(index), plain, machine });
    }
    Ok(judged.into_iter().flatten().collect())
}

/// The smallest mutant found that is the same finding as this one.
///
/// # Errors
/// See [`BatchError`].
pub fn smallest(workshop: &Workshop, node: Node, judged: &Judged) -> Result<Judged, BatchError> {
    let wanted = judged.finding();
    let node = generate::smallest(node, |nodes| {
        let judged = judge_all(workshop, nodes)?;
        Ok(judged.iter().position(|judged| judged.finding() == wanted))
    })?;
    Ok(judge_all(workshop, &[node])?.swap_remove(0))
}

/// What one lowering alone is warned of: the messages without what stands between quotes.
fn lints(warnings: &[String]) -> String {
    let kind = |warning: &String| {
        let mut lines = warning.lines();
        let which = lines.next().unwrap_or_default();
        let message = lines.next().unwrap_or_default();
        let outside: Vec<&str> = message.split('`').step_by(2).collect();
        format!("{which}: {}", outside.join("…"))
    };
    let kinds: BTreeSet<String> = warnings.iter().map(kind).collect();
    Vec::from_iter(kinds).join(", ")
}

impl Judged {
    /// What became of it, in a few words.
    pub fn kind(&self) -> &'static str {
        match &self.outcome {
            Outcome::Refused(Refusal::LikeRustc) => "refused as by rustc",
            Outcome::Refused(Refusal::OtherEnd) => "refused at the other end",
            Outcome::Refused(Refusal::AtAttribute) => "refused with a label at the attribute",
            Outcome::Refused(Refusal::ByRule) => "refused by a rule",
            Outcome::Agrees => "no mistakes",
            Outcome::RefusedAlone => "no mistakes for rustc",
            Outcome::Faulty(_) | Outcome::Fails(_) | Outcome::Warns(_) => "findings",
        }
    }

    /// What is the same about two findings. `None` for mutants that are none.
    pub fn finding(&self) -> Option<String> {
        let codes = |complaints: &[Complaint]| {
            let codes = complaints.iter().map(|c| c.code.as_deref().unwrap_or("a macro"));
            Vec::from_iter(BTreeSet::from_iter(codes)).join(", ")
        };
        match &self.outcome {
            Outcome::Refused(_) | Outcome::Agrees | Outcome::RefusedAlone => None,
            Outcome::Faulty(fault) => Some(format!(
                "{fault:?}: rustc {}, workflow {}",
                codes(&self.plain),
                codes(&self.machine)
            )),
            Outcome::Warns(warnings) => Some(format!("valid, but {}", lints(warnings))),
            Outcome::Fails(verdict) => generate::failure(&self.source, verdict)
                .map(|failure| format!("valid, but {failure}")),
        }
    }

    /// What became of it, for people.
    pub fn to_text(&self) -> String {
        let Self { outcome, source, plain, machine } = self;
        let mut text = format!("{source}\n");
        if let Outcome::Warns(warnings) = outcome {
            return text + &warnings.join("\n");
        }
        if let Outcome::Fails(verdict) = outcome {
            let report = crate::batch::Report {
                id: "mutant".to_owned(),
                verdict: verdict.clone(),
                warnings: Vec::new(),
            };
            return report.to_text(source);
        }
        for (title, complaints) in [("rustc", plain), ("workflow", machine)] {
            for Complaint { line, rendered, .. } in complaints {
                let line = line.map_or_else(|| "?".to_owned(), |line| line.to_string());
                // Writing to a String cannot fail.
                let _ = writeln!(text, "-- {title}, line {line}\n{rendered}");
            }
        }
        text
    }
}
