//! `piton check`: checks whether the open runs can continue in other code, and whether the schedules can start runs.

use std::fmt::Write as _;
use std::path::PathBuf;

use piton::client::{Client, ParkedReport};
use piton::lock::Lock;
use serde_json::json;

use crate::error::Failure;
use crate::output::{self, Output};

/// Compare the open runs and the schedules with the code of a `piton.lock`
///
/// Counts the runs that would be blocked, by reason, and lists the schedules that could not start runs. The exit code is
/// 1 if one of these is certain.
#[derive(clap::Args)]
pub(crate) struct Check {
    /// The lock file of the code to be deployed
    #[arg(long, value_name = "FILE", default_value = "piton.lock")]
    lock: PathBuf,
}

/// The report, and whether nothing in it is certain.
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
    let schedules = report.unfit_schedules.iter().map(|unfit| {
        json!({
            "schedule": unfit.schedule,
            "workflow": unfit.workflow,
            "reason": unfit.reason.to_string(),
            "help": unfit.reason.help(),
            "is_certain": unfit.is_certain,
        })
    });
    output::json(&json!({
        "runs": report.runs,
        "unfit": unfit.collect::<Vec<_>>(),
        "schedules": report.schedules,
        "unfit_schedules": schedules.collect::<Vec<_>>(),
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
            "note: {} of `{workflow}` {} not checked, as the lock file does not have this workflow\n",
            runs(*unchecked),
            if *unchecked == 1 { "is" } else { "are" },
        );
    }
    for unfit in &report.unfit_schedules {
        let (level, what) = match unfit.is_certain {
            true => ("error", "will fail to start"),
            false => ("warning", "may fail to start"),
        };
        let _ = writeln!(
            text,
            "{level}: the schedule `{}` {what} runs of `{}`\n   = note: {}\n   = help: {}\n",
            unfit.schedule,
            unfit.workflow,
            unfit.reason,
            unfit.reason.help()
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
    if report.schedules > 0 {
        let count = |is_certain| {
            let unfit = report.unfit_schedules.iter();
            unfit.filter(|unfit| unfit.is_certain == is_certain).count()
        };
        let checked = counted(report.schedules, "schedule");
        let _ = match (count(true), count(false)) {
            (0, 0) => writeln!(text, "{checked} checked: all can start runs"),
            (failing, doubtful) => {
                writeln!(text, "{checked} checked: {failing} will fail, {doubtful} may")
            }
        };
    }
    text
}

fn runs(count: u64) -> String {
    counted(count, "run")
}

fn counted(count: u64, what: &str) -> String {
    match count {
        1 => format!("1 {what}"),
        count => format!("{count} {what}s"),
    }
}
