//! The crate that a batch is written into.

use std::fmt::Write as _;
use std::fs;
use std::path::{Path, PathBuf};

use super::build::Lowering;
use super::{BatchError, Program, target};

/// A crate under the target directory, of which cargo knows nothing.
pub(super) struct Package {
    pub(super) folder: PathBuf,
}

impl Package {
    pub(super) fn new(name: &str) -> Self {
        Self { folder: target().join("difftest").join(name) }
    }

    /// Writes one file for each program that takes part, and a `main` that runs them all.
    pub(super) fn write(
        &self,
        programs: &[Program],
        included: impl Fn(usize, Lowering) -> bool,
    ) -> Result<(), BatchError> {
        let source = self.folder.join("src");
        fs::create_dir_all(&source).map_err(BatchError::io("create the batch"))?;
        let mut modules = String::new();
        let mut cases = String::new();
        for (index, program) in programs.iter().enumerate() {
            let [plain, machine] =
                [Lowering::Plain, Lowering::Machine].map(|lowering| included(index, lowering));
            if !plain && !machine {
                continue;
            }
            write(&source.join(format!("p{index}.rs")), &module(program, plain, machine))?;
            let run =
                if machine { format!("Some(p{index}::machine::__run)") } else { "None".into() };
            // Writing to a String cannot fail.
            let _ = writeln!(modules, "mod p{index};");
            if !plain {
                continue;
            }
            let _ = writeln!(
                cases,
                "        Case {{ index: {index}, plain: p{index}::plain::__run, machine: {run} }},"
            );
        }
        let main = format!(
            "use difftest::batch::Case;\n\n{modules}\nfn main() {{\n    difftest::batch::serve(&[\n\
             {cases}    ]);\n}}\n"
        );
        write(&source.join("main.rs"), &main)
    }
}

/// The line, from 1, at which the machine lowering of a written module begins.
pub(super) fn machine_line(module: &str) -> usize {
    1 + module.lines().position(|line| line == MACHINE).unwrap_or(usize::MAX - 1)
}

const MACHINE: &str = "pub mod machine {";

/// The lowerings of a program. The source comes first in its module so that its documentation
/// stays that of the module, and it imports by glob so that it may use any name for itself.
fn module(program: &Program, plain: bool, machine: bool) -> String {
    let mut text = String::new();
    if plain {
        let _ = write!(
            text,
            "pub mod plain {{\n{}\n\
             #[allow(unused_imports)]\nuse difftest::plain::prelude::*;\n\
             pub fn __run(script: difftest::script::Script, n: i64) -> difftest::record::Record {{\n    \
             difftest::plain::run(script, move || program(n))\n}}\n}}\n",
            plain_source(&program.source),
        );
    }
    if machine {
        let _ = write!(
            text,
            "{MACHINE}\n{}\n\
             #[allow(unused_imports)]\nuse difftest::machine::prelude::*;\n\
             pub fn __run(script: difftest::script::Script, n: i64) -> difftest::record::Record \
             {{\n    difftest::machine::run(script, program(n))\n}}\n}}\n",
            program.source
        );
    }
    text
}

/// The source without what only `#[workflow]` gives a meaning: the attribute itself, and the context
/// among the parameters, which is not among the arguments of a call. Line by line the same.
fn plain_source(source: &str) -> String {
    let is_left_out =
        |line: &str| line.trim_start().starts_with("#[workflow") || line.trim() == "cx: &Context,";
    let lines = source.lines().map(|line| if is_left_out(line) { "" } else { line });
    let source: String = lines.flat_map(|line| [line, "\n"]).collect();
    source.replace("(cx: &Context, ", "(").replace("(cx: &Context)", "()")
}

fn write(path: &Path, text: &str) -> Result<(), BatchError> {
    fs::write(path, text).map_err(BatchError::io(format!("write {}", path.display())))
}
