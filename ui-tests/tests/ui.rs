//! Every case of `fail/<rule>/` is refused with the words beside it. Those of `pass/` are a test
//! target of their own, so that here nothing is linked.
//!
//! `UI_TESTS=overwrite cargo test -p piton-ui-tests --test ui` writes what rustc says now; read the diff.

use std::fs;
use std::io;
use std::path::{Path, PathBuf};
use std::process::Output;
use std::sync::Arc;

use difftest::rustc::Rustc;
use libtest_mimic::{Arguments, Failed, Trial};
use piton_ui_tests::Normal;

/// What the cases use.
const CRATES: [&str; 5] = ["piton", "serde", "tokio", "tracing", "uuid"];

/// Columns of a message, so that it does not depend on the terminal.
const WIDTH: &str = "--diagnostic-width=140";

fn main() -> io::Result<()> {
    let arguments = Arguments::from_args();
    let package = Path::new(env!("CARGO_MANIFEST_DIR"));
    let workspace = package.parent().expect("it is a member");
    let compiler = match arguments.list {
        true => None,
        false => Some(Arc::new(Compiler {
            rustc: Rustc::with_crates_of("piton-ui-tests", package, &CRATES)?,
            workspace: workspace.to_owned(),
            normal: Normal::new(package, workspace),
            folder: tempfile::tempdir()?,
            overwrites: std::env::var("UI_TESTS").is_ok_and(|value| value == "overwrite"),
        })),
    };
    let trial = |case: PathBuf| {
        let name = case.strip_prefix(package.join("tests")).unwrap_or(&case).with_extension("");
        let compiler = compiler.clone();
        Trial::test(name.display().to_string(), move || match compiler {
            Some(compiler) => compiler.refuses(&case),
            None => Err("tests are only listed".into()),
        })
    };
    let trials = cases(&package.join("tests/fail"))?.into_iter().map(trial).collect();
    // The folder is dropped with the compiler, before the process ends.
    let conclusion = libtest_mimic::run(&arguments, trials);
    drop(compiler);
    conclusion.exit()
}

/// The sources in the folders of this one, in order.
fn cases(root: &Path) -> io::Result<Vec<PathBuf>> {
    let mut cases = Vec::new();
    for rule in fs::read_dir(root)? {
        for file in fs::read_dir(rule?.path())? {
            cases.push(file?.path());
        }
    }
    cases.retain(|file| file.extension().is_some_and(|it| it == "rs"));
    cases.sort();
    Ok(cases)
}

struct Compiler {
    rustc: Rustc,
    /// Sources of its members are shown if rustc is called here.
    workspace: PathBuf,
    normal: Normal,
    folder: tempfile::TempDir,
    overwrites: bool,
}

impl Compiler {
    /// Compiles a case, which must fail with the words of its `.stderr` file.
    fn refuses(&self, case: &Path) -> Result<(), Failed> {
        let output = self.compile(case)?;
        if output.status.success() {
            return Err("it compiles".into());
        }
        let file = case.with_extension("stderr");
        let expected = match fs::read_to_string(&file) {
            Err(error) if error.kind() == io::ErrorKind::NotFound => String::new(),
            read => read?,
        };
        let said = String::from_utf8_lossy(&output.stderr);
        let said = self.normal.form_like(&said, &expected);
        match said == expected {
            true => Ok(()),
            false if self.overwrites => Ok(fs::write(file, said)?),
            false => Err(format!("expected\n{expected}\nrustc says\n{said}").into()),
        }
    }

    fn compile(&self, case: &Path) -> io::Result<Output> {
        self.rustc
            .command()
            .args(["--crate-type=bin", "--crate-name=case", "--emit=metadata", "-Adead_code"])
            .args([WIDTH, "--verbose"])
            .current_dir(&self.workspace)
            .arg("--out-dir")
            .arg(self.folder.path())
            .arg(case)
            .output()
    }
}
