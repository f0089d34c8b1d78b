//! Many programs as one crate: written, built, run, compared.
//!
//! A program that does not compile must not keep the others from being compared, so what rustc says
//! is traced back to the program and the lowering it is about, that lowering is left out, and the
//! crate is built again.

mod build;
mod complaint;
mod execute;
mod package;
mod serve;

use std::path::{Path, PathBuf};
use std::sync::Mutex;
use std::thread;

use serde::{Deserialize, Serialize};

use crate::record::Record;
use crate::rustc::Rustc;
use crate::script::Script;

pub use build::Lowering;
pub use complaint::Complaint;
pub use serve::{Case, serve};

/// A program to compare.
#[derive(Clone, Debug)]
pub struct Program {
    /// Names it in reports.
    pub id: String,
    /// Its text; the entry is `async fn program`.
    pub source: String,
}

/// What became of a program.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Verdict {
    /// Both lowerings did the same whenever they were run.
    Agrees(Figures),
    /// They did not.
    Diverges(Box<Divergence>),
    /// The machine lowering does not compile.
    Refused(Vec<Complaint>),
    /// The plain lowering does not compile: the program is no program.
    Invalid(Vec<Complaint>),
    /// It did not end by itself.
    Hung,
}

/// How much was compared.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct Figures {
    /// How often the program was run.
    pub runs: usize,
    /// How many operations it started in all of the runs.
    pub operations: usize,
    /// How many of the runs returned, rather than panicked or waited for ever.
    pub returned: usize,
}

/// Two records that differ.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Divergence {
    /// The argument of the run.
    pub input: i64,
    /// The order in which operations became ready.
    pub script: Script,
    /// What rustc's lowering did.
    pub plain: Record,
    /// What the machine did.
    pub machine: Record,
}

/// A program and what became of it.
#[derive(Clone, Debug)]
pub struct Report {
    /// Names the program.
    pub id: String,
    /// What became of it.
    pub verdict: Verdict,
    /// Warnings that only one of the lowerings has.
    pub warnings: Vec<String>,
}

impl Report {
    /// What became of the program with this source, for people.
    pub fn to_text(&self, source: &str) -> String {
        let Self { id, verdict, warnings } = self;
        let mut text = String::new();
        for warning in warnings {
            text += &format!("== {id}: {warning}\n");
        }
        text += &match verdict {
            Verdict::Agrees(figures) => format!("{id}: {figures:?}\n"),
            Verdict::Refused(complaints) => {
                format!("== {id}: refused\n{source}{}\n", rendered(complaints))
            }
            Verdict::Invalid(complaints) => {
                format!("== {id}: invalid\n{source}{}\n", rendered(complaints))
            }
            Verdict::Hung => format!("== {id}: does not end\n{source}\n"),
            Verdict::Diverges(divergence) => format!(
                "== {id}: diverges for {} with {:?}\n{source}\n-- plain\n{}-- machine\n{}\n",
                divergence.input,
                divergence.script,
                divergence.plain.to_text(),
                divergence.machine.to_text(),
            ),
        };
        text
    }
}

fn rendered(complaints: &[Complaint]) -> String {
    complaints.iter().map(|complaint| complaint.rendered.as_str()).collect::<Vec<_>>().join("\n")
}

/// Why no verdict could be reached.
#[derive(Debug, thiserror::Error)]
#[non_exhaustive]
pub enum BatchError {
    /// A file could not be written or a process not be started.
    #[error("cannot {action}")]
    Io {
        /// What was tried.
        action: String,
        /// Why it failed.
        source: std::io::Error,
    },
    /// The crate does not build, for a reason that has nothing to do with a single program.
    #[error("the batch does not build:\n{0}")]
    Build(String),
    /// The built program went down without saying which program did it.
    #[error("the batch did not run: {0}")]
    Run(String),
}

impl BatchError {
    fn io(action: impl Into<String>) -> impl FnOnce(std::io::Error) -> Self {
        let action = action.into();
        move |source| Self::Io { action, source }
    }
}

/// Where and how batches are built.
#[derive(Clone, Debug)]
pub struct Workshop {
    /// Names the crate. Workshops of different names do not disturb each other.
    pub name: String,
    /// Whether the machine lowering takes part; without it the programs are only checked to be
    /// programs.
    pub machines: bool,
    /// Whether what compiles is run. Otherwise it agrees.
    pub runs: bool,
}

impl Workshop {
    /// A workshop that compares.
    pub fn new(name: impl Into<String>) -> Self {
        Self { name: name.into(), machines: true, runs: true }
    }

    /// Builds and runs all programs, and reports on them in the same order.
    ///
    /// # Errors
    /// See [`BatchError`].
    pub fn run(&self, programs: &[Program]) -> Result<Vec<Report>, BatchError> {
        let package = package::Package::new(&self.name);
        let rustc = rustc()?;
        let mut excluded = build::Complaints::new();
        let mut verdicts: Vec<Option<Verdict>> = vec![None; programs.len()];
        if !self.machines {
            excluded.extend((0..programs.len()).map(|i| ((i, Lowering::Machine), Vec::new())));
        }
        let (executable, warnings) = loop {
            let included = |index: usize, lowering: Lowering| {
                let plain = !excluded.contains_key(&(index, Lowering::Plain));
                plain && !excluded.contains_key(&(index, lowering))
            };
            package.write(programs, included)?;
            match build::build(&rustc, &package, !self.runs)? {
                build::Built::Whole { executable, warnings } => break (executable, warnings),
                build::Built::Broken(errors) => excluded.extend(errors),
            }
        };
        for ((index, lowering), messages) in excluded {
            let worse = matches!(verdicts[index], Some(Verdict::Invalid(_)));
            verdicts[index] = match lowering {
                Lowering::Plain => Some(Verdict::Invalid(messages)),
                Lowering::Machine if worse || !self.machines => continue,
                Lowering::Machine => Some(Verdict::Refused(messages)),
            };
        }
        match executable {
            Some(executable) => execute::execute(&executable, &mut verdicts)?,
            None => verdicts.iter_mut().for_each(|verdict| {
                verdict.get_or_insert(Verdict::Agrees(Figures::default()));
            }),
        }
        let reports = programs.iter().zip(verdicts).enumerate();
        Ok(reports
            .map(|(index, (program, verdict))| {
                let verdict = verdict.unwrap_or(Verdict::Hung);
                // Of a lowering that is left out rustc says nothing.
                let is_left_out = matches!(verdict, Verdict::Refused(_) | Verdict::Invalid(_));
                let warnings = warnings.get(&index).filter(|_| !is_left_out).cloned();
                Report { id: program.id.clone(), verdict, warnings: warnings.unwrap_or_default() }
            })
            .collect())
    }
}

impl Workshop {
    /// [Runs](Self::run) the programs in crates of at most `size` of them, two crates at a time.
    ///
    /// # Errors
    /// See [`BatchError`].
    ///
    /// # Panics
    /// A `size` of zero, or a panic of [`run`](Self::run).
    pub fn run_in_batches(
        &self,
        programs: &[Program],
        size: usize,
    ) -> Result<Vec<Report>, BatchError> {
        let batches = Mutex::new(programs.chunks(size).enumerate());
        let next = || batches.lock().expect("nobody panics with it").next();
        let run = || {
            let mut ran = Vec::new();
            while let Some((number, programs)) = next() {
                let name = format!("{}-{number}", self.name);
                ran.push((number, Self { name, ..self.clone() }.run(programs)?));
            }
            Ok(ran)
        };
        let mut ran = thread::scope(|scope| {
            let other = scope.spawn(run);
            let mut ran = run()?;
            ran.extend(other.join().expect("a batch does not panic")?);
            Ok(ran)
        })?;
        ran.sort_by_key(|(number, _)| *number);
        Ok(ran.into_iter().flat_map(|(_, reports)| reports).collect())
    }

    /// What rustc says against each of the programs in this lowering alone. Against one that compiles it says
    /// nothing.
    ///
    /// # Errors
    /// See [`BatchError`].
    pub fn check(
        &self,
        programs: &[Program],
        lowering: Lowering,
    ) -> Result<Vec<Vec<Complaint>>, BatchError> {
        let package = package::Package::new(&self.name);
        let rustc = rustc()?;
        let mut complaints = build::Complaints::new();
        loop {
            package.write(programs, |index, included| {
                included == lowering && !complaints.contains_key(&(index, lowering))
            })?;
            match build::build(&rustc, &package, true)? {
                build::Built::Whole { .. } => break,
                build::Built::Broken(errors) => complaints.extend(errors),
            }
        }
        let of_program = |index| complaints.remove(&(index, lowering)).unwrap_or_default();
        Ok((0..programs.len()).map(of_program).collect())
    }
}

/// The compiler with what programs use.
fn rustc() -> Result<Rustc, BatchError> {
    let folder = Path::new(env!("CARGO_MANIFEST_DIR"));
    let rustc = Rustc::with_crates_of("piton-difftest", folder, &["difftest", "piton", "serde"]);
    rustc.map_err(BatchError::io("build what programs use"))
}

/// Where the workspace that this crate is of is built.
fn target() -> PathBuf {
    let given = std::env::var_os("CARGO_TARGET_DIR").map(PathBuf::from);
    given.unwrap_or_else(|| Path::new(env!("CARGO_MANIFEST_DIR")).join("../target"))
}
