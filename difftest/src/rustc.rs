//! Calling rustc on sources outside of any package, with the dependencies that cargo has built.
//!
//! A package of their own would have all dependencies built once more, because cargo resolves its features
//! anew.

use std::ffi::{OsStr, OsString};
use std::io;
use std::path::{Path, PathBuf};
use std::process::Command;

use serde::Deserialize;

/// What variables begin with by which cargo tells a process of its package.
const TOLD: [&str; 4] = ["CARGO_BIN_", "CARGO_CRATE_", "CARGO_MANIFEST_", "CARGO_PKG_"];

/// The compiler, and the crates that a source may use.
#[derive(Clone, Debug)]
pub struct Rustc {
    externs: Vec<(String, PathBuf)>,
    folder: PathBuf,
}

/// A line of cargo's output; only the used fields.
#[derive(Deserialize)]
struct Message {
    reason: String,
    target: Option<Target>,
    #[serde(default)]
    filenames: Vec<PathBuf>,
}

#[derive(Deserialize)]
struct Target {
    name: String,
}

impl Rustc {
    /// The compiler with these crates, which are among the dependencies of the library of `package`, in
    /// `folder`. Builds them if they are not built.
    ///
    /// # Errors
    /// Cargo cannot be started, does not build the package, or builds no such crate.
    pub fn with_crates_of(package: &str, folder: &Path, crates: &[&str]) -> io::Result<Self> {
        let mut cargo = Command::new(program("CARGO", "cargo"));
        // What cargo has told this process of its own package. A build script that looks at it, as ring's
        // does, would run again, and all that depends on its crate would be built again.
        for (name, _) in std::env::vars_os() {
            let is_told = |start: &&str| name.to_string_lossy().starts_with(*start);
            if TOLD.iter().any(is_told) {
                cargo.env_remove(name);
            }
        }
        let output = cargo
            .args(["build", "--lib", "--offline", "--quiet", "--message-format=json"])
            .args(["--package", package])
            .current_dir(folder)
            .output()?;
        if !output.status.success() {
            return Err(io::Error::other(String::from_utf8_lossy(&output.stderr)));
        }
        let stdout = String::from_utf8_lossy(&output.stdout);
        let artifacts: Vec<Message> = stdout
            .lines()
            .filter_map(|line| serde_json::from_str(line).ok())
            .filter(|message: &Message| message.reason == "compiler-artifact")
            .collect();
        let find = |name: &&str| {
            let is_it = |it: &&Message| it.target.as_ref().is_some_and(|it| it.name == *name);
            let files = artifacts.iter().filter(is_it).flat_map(|it| &it.filenames);
            let mut libraries = files.filter(|file| file.extension() == Some(OsStr::new("rlib")));
            let library = libraries.next().map(|file| ((*name).to_owned(), file.clone()));
            library.ok_or_else(|| io::Error::other(format!("{package} does not depend on {name}")))
        };
        let externs = crates.iter().map(find).collect::<io::Result<_>>()?;
        Ok(Self { externs, folder: folder.to_owned() })
    }

    /// A call of the compiler, to which the source and what to make of it are still to be added.
    pub fn command(&self) -> Command {
        let mut command = Command::new(program("RUSTC", "rustc"));
        command.args(["--edition=2024", "--check-cfg=cfg(docsrs,test)"]);
        command.arg("--check-cfg=cfg(feature, values())");
        command.env("CARGO_MANIFEST_DIR", &self.folder);
        for (name, library) in &self.externs {
            let mut given = OsString::from(format!("{name}="));
            given.push(library);
            command.arg("--extern").arg(given);
            let mut search = OsString::from("dependency=");
            search.push(library.parent().unwrap_or(library));
            command.arg("-L").arg(search);
        }
        command
    }
}

fn program(variable: &str, default: &str) -> OsString {
    std::env::var_os(variable).unwrap_or_else(|| default.into())
}
