//! Formatting of generated sources.

use std::io::{ErrorKind, Write as _};
use std::process::{Command, Stdio};

/// The source as rustfmt writes it, or as it is if that is not to be had.
pub fn formatted(source: &str) -> String {
    let format = || -> std::io::Result<String> {
        let mut child = Command::new("rustfmt")
            .args(["--edition", "2024", "--emit", "stdout"])
            .stdin(Stdio::piped())
            .stdout(Stdio::piped())
            .stderr(Stdio::null())
            .spawn()?;
        // Dropped at once, which ends the input.
        if let Some(mut stdin) = child.stdin.take() {
            stdin.write_all(source.as_bytes())?;
        }
        let output = child.wait_with_output()?;
        if !output.status.success() {
            return Err(ErrorKind::InvalidData.into());
        }
        Ok(String::from_utf8_lossy(&output.stdout).into_owned())
    };
    format().unwrap_or_else(|_| source.to_owned())
}
