//! rustc on one file, with piton built beforehand.

use std::ffi::OsString;
use std::io::ErrorKind;
use std::path::{Path, PathBuf};
use std::process::Stdio;
use std::time::{Duration, Instant};

use anyhow::{Context as _, Result, bail, ensure};
use tempfile::TempDir;
use tokio::process::Command;

/// The manifest of the program that has piton built.
const MANIFEST: &str = "[package]\nname = \"host\"\nedition = \"2024\"\n\n[workspace]\n\n\
    [dependencies]\npiton = { path = PATH, default-features = false, features = [\"macros\"] }\n";

/// As which profile of cargo's rustc compiles.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Profile {
    /// `dev`, where `CARGO_INCREMENTAL` is 0.
    Debug,
    /// `dev`, in a build from nothing.
    Incremental,
    /// As `Debug`, with macros that cargo has had optimized.
    OptimizedMacros,
    Release,
}

/// A scratch directory and the way to piton's libraries.
#[derive(Debug)]
pub(super) struct Compiler {
    directory: TempDir,
    /// The library itself.
    piton: PathBuf,
    profile: Profile,
}

/// How long a compilation took.
#[derive(Clone, Copy, Debug)]
pub(super) struct Taken {
    /// From start to end.
    pub(super) wall: Duration,
    /// On all cores together, to the hundredth of a second.
    pub(super) cpu: Duration,
}

impl Compiler {
    /// Builds piton.
    pub(super) async fn prepare(profile: Profile) -> Result<Self> {
        let bench = Path::new(env!("CARGO_MANIFEST_DIR"));
        let workspace = bench.parent().context("the crate has no workspace")?;
        let directory = tempfile::Builder::new().prefix("piton-bench-rustc-").tempdir()?;
        let runtime = workspace.join("runtime").display().to_string();
        let manifest = MANIFEST.replace("PATH", &format!("{runtime:?}"));
        std::fs::create_dir(directory.path().join("src"))?;
        std::fs::write(directory.path().join("src/lib.rs"), "")?;
        std::fs::write(directory.path().join("Cargo.toml"), manifest)?;
        std::fs::copy(workspace.join("Cargo.lock"), directory.path().join("Cargo.lock"))?;
        let built = Command::new(tool("CARGO", "cargo"))
            .args(["build", "--quiet", "--message-format=json"])
            .args(match profile {
                Profile::Debug | Profile::Incremental => &[][..],
                Profile::OptimizedMacros => &["--config", "profile.dev.build-override.opt-level=1"],
                Profile::Release => &["--release"],
            })
            .arg("--target-dir")
            .arg(workspace.join("target").join("compile-time"))
            .current_dir(directory.path())
            .stderr(Stdio::inherit())
            .output()
            .await?;
        ensure!(built.status.success(), "piton could not be built");
        let messages = String::from_utf8(built.stdout)?;
        let piton = messages.lines().find_map(library).context("cargo has built no piton")?;
        Ok(Self { directory, piton, profile })
    }

    /// Compiles a library that later programs may use by its `name`.
    pub(super) async fn build(&self, name: &str, source: &str) -> Result<()> {
        let status = self.rustc(name, source, "metadata,link")?.status().await?;
        ensure!(status.success(), "rustc has refused a generated library");
        Ok(())
    }

    /// Compiles a library as `cargo build` does; `None` if that takes longer than `limit`.
    pub(super) async fn compile(&self, source: &str, limit: Duration) -> Result<Option<Taken>> {
        let mut rustc = self.rustc("case", source, "metadata,link")?;
        let (begin, cpu_before) = (Instant::now(), children_cpu_time()?);
        let mut rustc = rustc.spawn().context("cannot run rustc")?;
        match tokio::time::timeout(limit, rustc.wait()).await {
            Ok(status) => {
                ensure!(status?.success(), "rustc has refused a generated program");
                Ok(Some(Taken { wall: begin.elapsed(), cpu: children_cpu_time()? - cpu_before }))
            }
            Err(_) => {
                rustc.kill().await?;
                Ok(None)
            }
        }
    }
}

impl Compiler {
    /// What `#[workflow]` makes of the function `name`, formatted.
    pub(super) async fn expansion(&self, source: &str, name: &str) -> Result<String> {
        let mut rustc = self.rustc("case", source, "metadata")?;
        let output = rustc.env("PITON_EXPAND", name).output().await.context("cannot run rustc")?;
        ensure!(output.status.success(), "rustc has refused a generated program");
        Ok(String::from_utf8(output.stderr)?)
    }

    /// Where rustc keeps what an incremental build could use again.
    fn kept(&self) -> PathBuf {
        self.directory.path().join("incremental")
    }

    /// Lets no build use anything of the one before.
    fn forget(&self) -> Result<()> {
        match std::fs::remove_dir_all(self.kept()) {
            Err(error) if error.kind() != ErrorKind::NotFound => Err(error.into()),
            _ => Ok(()),
        }
    }

    /// rustc on `source`, as `cargo build` runs it where it has built nothing yet.
    fn rustc(&self, name: &str, source: &str, emit: &str) -> Result<Command> {
        let file = self.directory.path().join(format!("{name}.rs"));
        std::fs::write(&file, source)?;
        self.forget()?;
        let libraries = self.piton.parent().context("piton's library has no directory")?;
        let mut rustc = Command::new(tool("RUSTC", "rustc"));
        rustc
            .args(["--edition=2024", "--crate-type=lib", "-Cembed-bitcode=no"])
            .arg(match self.profile {
                Profile::Debug | Profile::Incremental | Profile::OptimizedMacros => "-Cdebuginfo=2",
                Profile::Release => "-Copt-level=3",
            })
            .args((self.profile == Profile::Incremental).then(|| {
                let mut option = OsString::from("-Cincremental=");
                option.push(self.kept());
                option
            }))
            .arg(format!("--crate-name={name}"))
            .arg(format!("--emit={emit}"))
            .args(["--cap-lints=allow", "--out-dir"])
            .arg(self.directory.path())
            .arg("--extern")
            .arg(format!("piton={}", self.piton.display()))
            .arg("-L")
            .arg(format!("dependency={}", libraries.display()))
            .arg("-L")
            .arg(self.directory.path())
            .arg(&file)
            .stdin(Stdio::null())
            .kill_on_drop(true);
        Ok(rustc)
    }
}

/// The tool that cargo has named in the environment, or the one on the path.
fn tool(variable: &str, name: &str) -> PathBuf {
    std::env::var_os(variable).map_or_else(|| PathBuf::from(name), PathBuf::from)
}

/// The library file in one of cargo's messages, if that is about piton.
fn library(message: &str) -> Option<PathBuf> {
    let message: serde_json::Value = serde_json::from_str(message).ok()?;
    if message["reason"] != "compiler-artifact" || message["target"]["name"] != "piton" {
        return None;
    }
    let mut files = message["filenames"].as_array()?.iter().filter_map(|file| file.as_str());
    files.find(|file| file.ends_with(".rlib")).map(PathBuf::from)
}

/// The processor time of all child processes that were waited for.
fn children_cpu_time() -> Result<Duration> {
    /// `USER_HZ`, which is 100 on Linux whatever the kernel's own clock.
    const TICK: Duration = Duration::from_millis(10);
    let stat = std::fs::read_to_string("/proc/self/stat")?;
    // The second field is in parentheses and may hold anything.
    let Some((_, fields)) = stat.rsplit_once(") ") else { bail!("/proc/self/stat has changed") };
    let mut times = fields.split(' ').skip(13).map(str::parse::<u32>);
    let user = times.next().context("no user time")??;
    let system = times.next().context("no system time")??;
    Ok(TICK * (user + system))
}
