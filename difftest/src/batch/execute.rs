//! Running a built batch, also when a program never ends or takes the process down.

use std::io::{BufRead as _, BufReader};
use std::path::Path;
use std::process::{Command, Stdio};
use std::sync::mpsc;
use std::time::Duration;

use super::serve::Line;
use super::{BatchError, Verdict};

/// How long a batch may be silent. A program takes milliseconds.
const PATIENCE: Duration = Duration::from_secs(20);

/// Runs the batch and fills in what it says. A program that is being run when the batch goes silent
/// or down is [`Verdict::Hung`], and the batch is run again from the one after it.
pub(super) fn execute(
    executable: &Path,
    verdicts: &mut [Option<Verdict>],
) -> Result<(), BatchError> {
    let mut first = 0;
    while let Some(hung) = execute_from(executable, first, verdicts)? {
        verdicts[hung] = Some(Verdict::Hung);
        first = hung + 1;
    }
    Ok(())
}

/// Runs the programs from number `first` on. The one that does not end by itself, if there is one.
fn execute_from(
    executable: &Path,
    first: usize,
    verdicts: &mut [Option<Verdict>],
) -> Result<Option<usize>, BatchError> {
    let mut child = Command::new(executable)
        .arg(first.to_string())
        .stdout(Stdio::piped())
        .stderr(Stdio::null())
        .spawn()
        .map_err(BatchError::io("start the batch"))?;
    let Some(stdout) = child.stdout.take() else {
        return Err(BatchError::Run("it has no output".into()));
    };
    let (lines, said) = mpsc::channel();
    let reader = std::thread::spawn(move || {
        for line in BufReader::new(stdout).lines().map_while(Result::ok) {
            if lines.send(line).is_err() {
                break;
            }
        }
    });
    let mut running = None;
    while let Ok(line) = said.recv_timeout(PATIENCE) {
        match serde_json::from_str(&line) {
            Ok(Line::Began(index)) => running = Some(index),
            Ok(Line::Agreed(index, figures)) => {
                running = None;
                // A refused program keeps that verdict; its plain lowering was run alone.
                verdicts[index].get_or_insert(Verdict::Agrees(figures));
            }
            Ok(Line::Diverged(index, divergence)) => {
                running = None;
                verdicts[index] = Some(Verdict::Diverges(divergence));
            }
            // Programs write nothing themselves, so this is ours.
            Err(error) => return Err(BatchError::Run(format!("{error} in `{line}`"))),
        }
    }
    // Does nothing to a batch that has ended; one that has not is stuck.
    let _ = child.kill();
    let _ = child.wait();
    let _ = reader.join();
    Ok(running)
}
