//! Snapshots of every format that was ever written stay readable.
//!
//! The files in `golden/` were written by the builds of their time and are never written again: `values.v<n>` has every
//! kind of operation and wait, `run.v<n>` is a run that waits for every kind of operation, with its arrivals. To change
//! the format, raise `SNAPSHOT_FORMAT` and add the files of the new format with
//!
//! ```text
//! PITON_GOLDEN=write cargo test -p piton --test steps golden
//! ```
//!
//! Only add to this file: the saved runs continue in this workflow.
#![allow(clippy::unwrap_used)]

use std::path::{Path, PathBuf};
use std::time::Duration;

use piton::codec::{self, SNAPSHOT_FORMAT};
use piton::machine::{OperationOutcome, Progress, Standalone, StepError};
use piton::model::{
    ActivityOperation, AttemptFailure, AwaitedToken, Compensating, Compensation, Ending,
    FailedCompensation, Handle, Operation, Payload, RunId, Snapshot, Timestamp, Wait,
};
use piton::prelude::*;
use serde::{Deserialize, Serialize};

#[derive(Signal, Serialize, Deserialize)]
struct Paid {
    cents: u64,
}

#[derive(Signal, Serialize, Deserialize)]
struct Late {
    days: u16,
}

#[activity(retry(max_attempts = 5), start_to_close = "10m")]
async fn ship(number: u64) -> u64 {
    number
}

#[activity(queue = "cards", heartbeat = "30s")]
async fn charge(cents: u64) -> Result<String, String> {
    Ok(cents.to_string())
}

#[workflow]
async fn inner(number: u64) -> u64 {
    let doubled = number * 2;
    ship(number).await + doubled
}

type All = (u64, (), u64, Option<u16>, u64, u64, Vec<u64>, String, String);

#[workflow]
async fn everything(cx: &Context, order: String) -> (String, All) {
    let kept = format!("kept of {order}");
    let all = join!(
        ship(1),
        cx.sleep(seconds(60)),
        async { cx.signal::<Paid>().await.cents },
        async { cx.signal::<Late>().timeout(seconds(90)).await.map(|late| late.days) },
        async {
            let first = ship(2).await;
            ship(first + 1).await
        },
        inner(5),
        join_all(vec![ship(6), ship(7)]),
        async {
            select! {
                cancelled = cx.cancelled() => cancelled.reason,
                _ = cx.sleep(seconds(30)) => "slept".to_owned(),
            }
        },
        async { charge(900).await.unwrap_or_else(|error| error.to_string()) },
    );
    (kept, all)
}

fn file(name: &str, format: u8) -> PathBuf {
    let directory = Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/steps/golden");
    directory.join(format!("{name}.v{format}"))
}

/// The golden file of a format. Writes the file of the current format first, if requested.
fn golden(name: &str, format: u8, current: impl FnOnce() -> Vec<u8>) -> Vec<u8> {
    let file = file(name, format);
    let is_asked = std::env::var_os("PITON_GOLDEN").is_some_and(|value| value == "write");
    if is_asked && format == SNAPSHOT_FORMAT && !file.exists() {
        std::fs::create_dir_all(file.parent().unwrap()).unwrap();
        std::fs::write(&file, current()).unwrap();
    }
    std::fs::read(&file).unwrap_or_else(|error| panic!("{}: {error}", file.display()))
}

/// Every kind of operation and wait, as a format has them.
fn values(format: u8) -> Snapshot {
    let activity = ActivityOperation {
        name: "ship".into(),
        arguments: Payload(vec![1, 7]),
        retry: RetryPolicy {
            initial_interval: Duration::from_millis(250),
            backoff: 1.5,
            max_interval: Some(Duration::from_secs(60)),
            max_attempts: 9,
            jitter: 0.25,
        },
        start_to_close: Some(Duration::from_secs(3)),
        schedule_to_close: Some(Duration::from_secs(3_600)),
        at_most_once: true,
        scheduled_at: Timestamp(1_000_000),
        attempts: 4,
        interruptions: 2,
        priority: 0,
        partition: String::new(),
        passed_over: 1,
        retry_at: Some(Timestamp(2_000_000)),
        queue: Some("cards".into()),
        schedule_to_start: Some(Duration::from_secs(5)),
        heartbeat: Some(Duration::from_secs(6)),
        details: Some(Payload(vec![1, 2, 3])),
        awaited: Some(AwaitedToken {
            end_by: Some(Timestamp(9_000_000)),
            heard_at: Timestamp(1_500_000),
            takeovers: 3,
        }),
        // Known since format 2.
        last_failure: (format >= 2).then(|| AttemptFailure::new(3, "refused: ✗".into())),
    };
    let plain = ActivityOperation {
        retry: RetryPolicy::DEFAULT,
        start_to_close: None,
        schedule_to_close: None,
        at_most_once: false,
        retry_at: None,
        queue: None,
        schedule_to_start: None,
        heartbeat: None,
        details: None,
        awaited: None,
        last_failure: None,
        ..activity.clone()
    };
    let noted = Compensation { activity: plain.clone(), may_fail: true };
    // Known since format 2.
    let until = (format >= 2).then_some(Timestamp(3_000_000));
    let signal = Operation::Signal { name: "Approve".into(), until };
    let mut operations = vec![
        (Handle(1), Operation::Activity(Box::new(activity))),
        (Handle(2), Operation::Activity(Box::new(plain))),
        (Handle(70), Operation::Timer { fire_at: Timestamp(-5) }),
        (Handle(200), signal),
        (Handle(299), Operation::Cancellation),
    ];
    // Known since format 2.
    if format >= 2 {
        operations.push((Handle(300), Operation::Shield(Handle(299))));
        operations.push((Handle(301), Operation::Compensation(Box::new(noted))));
    }
    let ending = Ending {
        status: RunStatus::Cancelled,
        result: Some(Payload(vec![1, 0])),
        failure: "changed my mind".into(),
        current: Some(Compensating { handle: Handle(2), may_fail: true }),
        failed: vec![FailedCompensation { activity: "ship".into(), error: "refused".into() }],
    };
    Snapshot {
        frame: (0..=255).collect(),
        state: "join#2".into(),
        next_handle: 300,
        operations,
        wait: Wait::Any(vec![
            Wait::One(Handle(1)),
            Wait::All(vec![Wait::One(Handle(2)), Wait::Any(Vec::new())]),
        ]),
        steps: 70_000,
        cancelled: Some("changed my mind".into()),
        // Known since format 2.
        clock: if format >= 2 { Timestamp(1_750_000) } else { Timestamp::MIN },
        ending: (format >= 2).then(|| Box::new(ending)),
    }
}

/// A run that waits for everything, with some branches ended and some outcomes arrived.
fn run() -> Standalone<everything> {
    let call = everything("a17".to_owned());
    let mut run = Standalone::start_as(RunId::from(uuid::Uuid::from_u128(17)), call).unwrap();
    let now = Timestamp(1_000_000);
    assert_eq!(run.advance(now).unwrap(), Progress::Waiting);
    reply(&mut run, &1, &10);
    reply(&mut run, &2, &20);
    assert_eq!(run.advance(now).unwrap(), Progress::Waiting);
    reply(&mut run, &6, &60);
    run.signal(&Paid { cents: 5 }).unwrap();
    run
}

/// Answers the call of `ship` with this argument.
fn reply(run: &mut Standalone<everything>, argument: &u64, value: &u64) {
    // Only the value after the encoding and the hash of the schema: the hash differs for arguments.
    let argument = &codec::to_payload(argument).unwrap().0[9..];
    let is_it = |operation: &Operation| matches!(operation, Operation::Activity(activity) if activity.arguments.0[9..] == *argument);
    let waiting = run.waiting_for();
    let (handle, _) = waiting.iter().find(|(_, operation)| is_it(operation)).unwrap();
    run.reply(*handle, value).unwrap();
}

#[test]
fn golden_values_of_all_formats_are_read() {
    for format in 1..=SNAPSHOT_FORMAT {
        let bytes = golden("values", format, || codec::encode_snapshot(&values(format)).unwrap());
        assert_eq!(bytes[0], format);
        assert_eq!(codec::decode_snapshot(&bytes), Ok(values(format)), "format {format}");
    }
    let written = codec::encode_snapshot(&values(SNAPSHOT_FORMAT)).unwrap();
    let known = golden("values", SNAPSHOT_FORMAT, || written.clone());
    assert!(written == known, "the format has changed: raise SNAPSHOT_FORMAT, see above");
}

/// A saved run whose definitions are those of this build. What identifies a definition has changed since the runs were
/// saved, and only a database has the definitions of then.
fn of_this_build(mut bytes: Vec<u8>) -> Vec<u8> {
    loop {
        let mut run = Standalone::<everything>::load(&bytes).unwrap();
        let Err(StepError::Definition { found, current }) = run.advance(Timestamp(1_000_000))
        else {
            return bytes;
        };
        let (found, current) = (found.0.to_le_bytes(), current.0.to_le_bytes());
        let at = bytes.windows(found.len()).position(|window| window == found);
        let at = at.expect("the run has the definition");
        bytes[at..at + found.len()].copy_from_slice(&current);
    }
}

#[test]
fn golden_runs_of_all_formats_go_on() {
    // Runs of the first format have no schemas with their values. None was ever released.
    for format in 2..=SNAPSHOT_FORMAT {
        let bytes = of_this_build(golden("run", format, || run().save().unwrap()));
        let mut run = Standalone::<everything>::load(&bytes).unwrap();
        assert_eq!(
            run.advance(Timestamp(1_000_000)).unwrap(),
            Progress::Waiting,
            "format {format}"
        );
        reply(&mut run, &21, &30);
        reply(&mut run, &5, &50);
        reply(&mut run, &7, &70);
        run.cancel("enough");
        let is_queued = |operation: &Operation| matches!(operation, Operation::Activity(activity) if activity.queue.is_some());
        let waiting = run.waiting_for();
        let (queued, _) = waiting.iter().find(|(_, operation)| is_queued(operation)).unwrap();
        run.end(*queued, OperationOutcome::TimedOut(piton::machine::TimeoutKind::Heartbeat));
        let Progress::Returned((kept, all)) = run.advance(Timestamp(100_000_000)).unwrap() else {
            panic!("{run:?}")
        };
        let (first, (), cents, late, block, inline, list, reason, charged) = all;
        assert_eq!((kept.as_str(), first, cents, late), ("kept of a17", 10, 5, None));
        assert_eq!((block, inline, list), (30, 60, vec![60, 70]));
        assert_eq!(reason, "enough");
        assert!(charged.contains("silent"), "{charged}");
    }
}
