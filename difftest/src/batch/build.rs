//! Building a batch, and finding the program that is at fault if the build fails.

use std::collections::BTreeMap;
use std::fs;
use std::path::PathBuf;

use super::BatchError;
use super::complaint::{Complaint, Diagnostic};
use super::package::{Package, machine_line};
use crate::rustc::Rustc;

/// One of the two ways to compile a program.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub enum Lowering {
    /// By rustc.
    Plain,
    /// By `#[workflow]`.
    Machine,
}

/// What is said against which lowerings.
pub(super) type Complaints = BTreeMap<(usize, Lowering), Vec<Complaint>>;

/// The result of a build.
pub(super) enum Built {
    /// It can be run, if it was not only checked.
    Whole { executable: Option<PathBuf>, warnings: BTreeMap<usize, Vec<String>> },
    /// These lowerings are in the way.
    Broken(Complaints),
}

/// Builds the package, or only checks that it compiles.
pub(super) fn build(
    rustc: &Rustc,
    package: &Package,
    only_check: bool,
) -> Result<Built, BatchError> {
    let executable = package.folder.join("batch");
    let mut command = rustc.command();
    command.current_dir(&package.folder).args(["src/main.rs", "--crate-name=batch"]);
    command.args(["--crate-type=bin", "--error-format=json"]);
    match only_check {
        true => command.args(["--emit=metadata", "--out-dir=."]),
        false => command.args(["-Cembed-bitcode=no", "-o"]).arg(&executable),
    };
    let output = command.output().map_err(BatchError::io("start rustc"))?;
    let mut errors = Complaints::new();
    let mut warnings = Warnings::default();
    let mut unexplained = String::new();
    for line in String::from_utf8_lossy(&output.stderr).lines() {
        let Ok(diagnostic) = serde_json::from_str::<Diagnostic>(line) else {
            unexplained.push_str(line);
            continue;
        };
        match (diagnostic.level.as_str(), program(package, &diagnostic)) {
            ("warning", Some((index, lowering, start))) => {
                warnings.add(index, lowering, diagnostic.complaint(start));
            }
            ("error", Some((index, lowering, start))) => {
                errors.entry((index, lowering)).or_default().push(diagnostic.complaint(start));
            }
            ("error", None) => unexplained.push_str(&diagnostic.rendered()),
            _ => {}
        }
    }
    if output.status.success() {
        let executable = (!only_check).then_some(executable);
        return Ok(Built::Whole { executable, warnings: warnings.of_one_only() });
    }
    if errors.is_empty() {
        return Err(BatchError::Build(unexplained));
    }
    Ok(Built::Broken(errors))
}

/// The program and the lowering that something is said about, and the line of the file after which its
/// source begins.
fn program(package: &Package, diagnostic: &Diagnostic) -> Option<(usize, Lowering, usize)> {
    let (index, line) = diagnostic.place()?;
    let path = package.folder.join("src").join(format!("p{index}.rs"));
    let start = machine_line(&fs::read_to_string(path).ok()?);
    Some(if line < start { (index, Lowering::Plain, 1) } else { (index, Lowering::Machine, start) })
}

/// The lints that are off in machines, where locals are declared anew in every state, and neither the
/// awaits nor the loops around them are left.
const OFF: [&str; 5] = [
    "for_loops_over_fallibles",
    "unused_assignments",
    "unused_braces",
    "unused_mut",
    "unused_parens",
];

/// What is said of a variable that nobody reads, as of assignments.
const ONLY_ASSIGNED: &str = "is assigned to, but never used";

/// What rustc warns of, by program: the line, the lint, and the message.
#[derive(Default)]
struct Warnings {
    plain: BTreeMap<usize, Vec<(usize, String, String)>>,
    machine: BTreeMap<usize, Vec<(usize, String, String)>>,
}

impl Warnings {
    fn add(&mut self, index: usize, lowering: Lowering, warning: Complaint) {
        let Complaint { code, line, rendered, .. } = warning;
        let (code, line) = (code.unwrap_or_default(), line.unwrap_or_default());
        let of_lowering = match lowering {
            Lowering::Plain => &mut self.plain,
            Lowering::Machine => &mut self.machine,
        };
        of_lowering.entry(index).or_default().push((line, code, rendered));
    }

    /// The warnings that only one of the lowerings has.
    fn of_one_only(&self) -> BTreeMap<usize, Vec<String>> {
        let mut own: BTreeMap<usize, Vec<String>> = BTreeMap::new();
        for (which, these, others, off) in [
            ("of the machine only", &self.machine, &self.plain, &[][..]),
            ("that the machine does not have", &self.plain, &self.machine, &OFF[..]),
        ] {
            for (index, warnings) in these {
                let known = others.get(index).map(Vec::as_slice).unwrap_or_default();
                let is_known = |line: usize, code: &str| {
                    known.iter().any(|(at, known, _)| *at == line && known == code)
                };
                let is_off = |code: &str, rendered: &str| {
                    off.contains(&code) || !off.is_empty() && rendered.contains(ONLY_ASSIGNED)
                };
                let only = warnings.iter().filter(|(line, code, rendered)| {
                    !is_off(code, rendered) && !is_known(*line, code)
                });
                let only = only.map(|(_, _, rendered)| format!("warning {which}\n{rendered}"));
                own.entry(*index).or_default().extend(only);
            }
        }
        own
    }
}
