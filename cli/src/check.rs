//! `piton check`: checks whether the open runs can continue in other code.

use std::fmt::Write as _;
use std::path::PathBuf;

use piton::client::{Client, ParkedReport};
use piton::lock::Lock;
use serde_json::json;

use crate::error::Failure;
use crate::output::{self, Output};

/// Compare the open runs with the code of a `piton.lock`
///
/// Counts the runs that would be blocked, by reason. The exit code is 1 if a run would certainly be blocked.
#[derive(clap::Args)]
pub(crate) struct Check {
    /// The lock file of the code to be deployed
    #[arg(long, value_name = "FILE", default_value = "piton.lock")]
    lock: PathBuf,
}

/// The report, and whether no run would certainly be blocked.
pub(crate) async fn carry_out(
    client: &Client,
    check: Check,
    output: Output,
) -> Result<(String, bool), Failure> {
    let path = || check.lock.display().to_string();
    let text = std::fs::read_to_string(&check.lock)
        .map_err(|source| Failure::LockFile { path: path(), source })?;
    let lock = Lock::parse(&text).map_err(|source| Failure::Lock { path: path(), source })?;
    let report = client.check_parked_by(&lock).await?;
    let answer = if output.json { as_json(&report) } else { as_text(&report) };
    Ok((answer, report.is_ok()))
}

fn as_json(report: &ParkedReport) -> String {
    let unfit = report.unfit.iter().map(|unfit| {
        json!({
            "workflow": unfit.workflow,
            "reason": unfit.reason.to_string(),
            "is_certain": unfit.is_certain,
            "runs": unfit.runs,
            "example": unfit.example.to_string(),
        })
    });
    output::json(&json!({
        "runs": report.runs,
        "unfit": unfit.collect::<Vec<_>>(),
        "unchecked": report.unchecked,
    }))
}

fn as_text(report: &ParkedReport) -> String {
    let mut text = String::new();
    for unfit in &report.unfit {
        let (level, what) = match unfit.is_certain {
            true => ("error", "will be blocked"),
            false => ("warning", "may be blocked"),
        };
        // Writing to a string cannot fail.
        let _ = writeln!(
            text,
            "{level}: {} of `{}` {what}, such as {}\n   = note: {}\n",
            runs(unfit.runs),
            unfit.workflow,
            unfit.example,
            unfit.reason
        );
    }
    for (workflow, unchecked) in &report.unchecked {
        let _ = writeln!(
            text,
            "note: {} of `{workflow}` not checked, as the lock file does not have this workflow\n",
            match unchecked {
                1 => "1 run is".to_owned(),
                count => format!("{count} runs are"),
            },
        );
    }
    let count = |is_certain| {
        let unfit = report.unfit.iter().filter(|unfit| unfit.is_certain == is_certain);
        unfit.map(|unfit| unfit.runs).sum::<u64>()
    };
    let (blocked, doubtful) = (count(true), count(false));
    let _ = match (blocked, doubtful) {
        (0, 0) => writeln!(text, "{} checked: all can continue", runs(report.runs)),
        _ => writeln!(
            text,
            "{} checked: {} will be blocked, {} may be",
            runs(report.runs),
            blocked,
            doubtful
        ),
    };
    text
}

fn runs(count: u64) -> String {
    match count {
        1 => "1 run".to_owned(),
        count => format!("{count} runs"),
    }
}
