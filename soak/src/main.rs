//! Writes a program with many versions of a workflow, compiles it, and carries runs through them.

use std::path::PathBuf;
use std::process::{Command, ExitCode};

use clap::Parser;
use fastrand::Rng;
use piton_soak::program;

/// Edits a workflow at random while runs of it are parked.
#[derive(Debug, Parser)]
struct Options {
    /// Which edits are made.
    #[arg(long, default_value_t = 1)]
    seed: u64,
    /// How many versions there are.
    #[arg(long, default_value_t = 100)]
    versions: usize,
}

fn main() -> std::io::Result<ExitCode> {
    let Options { seed, versions } = Options::parse();
    let versions = program::versions(versions, &mut Rng::with_seed(seed));
    let root = PathBuf::from(concat!(env!("CARGO_MANIFEST_DIR"), "/.."));
    let folder = root.join("target/soak");
    std::fs::create_dir_all(folder.join("src"))?;
    std::fs::write(folder.join("src/main.rs"), program::source(seed, &versions))?;
    std::fs::copy(root.join("Cargo.lock"), folder.join("Cargo.lock"))?;
    let manifest = "[package]\nname = \"soak\"\nversion = \"0.0.0\"\nedition = \"2024\"\n\n[workspace]\n\n[dependencies]\n\
        piton = { path = \"../../runtime\" }\npiton-soak = { path = \"../../soak\" }\n\
        piton-features = { path = \"../../features\" }\nserde = { version = \"1\", features = [\"derive\"] }\n\n\
        [profile.dev]\ndebug = \"line-tables-only\"\n[profile.dev.package.\"*\"]\ndebug = false\n";
    std::fs::write(folder.join("Cargo.toml"), manifest)?;
    // The profile and the features are those of the workspace, so the dependencies are built already.
    let cargo = std::env::var_os("CARGO").unwrap_or_else(|| "cargo".into());
    let status = Command::new(cargo)
        .args(["run", "--offline", "--manifest-path"])
        .arg(folder.join("Cargo.toml"))
        .arg("--target-dir")
        .arg(root.join("target"))
        .status()?;
    Ok(if status.success() { ExitCode::SUCCESS } else { ExitCode::FAILURE })
}
