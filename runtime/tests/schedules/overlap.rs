//! Overlap policies: timelines of runs that take 25 seconds and are due every ten.

use piton::client::{LogKind, Overlap};
use piton::model::RunStatus;
use piton::model::RunStatus::{Cancelled, Completed, Terminated};

use crate::{Rig, job, tens};

/// The seconds of the nominal time and of the start, and the status.
type Line = (i64, i64, RunStatus);

async fn timeline(overlap: Overlap) -> Vec<Line> {
    let rig = Rig::new();
    let worker = rig.worker().start().await.unwrap();
    rig.client.schedule("job").create(tens(60), job(25)).overlap(overlap).await.unwrap();
    rig.pass(300).await;
    let runs = rig.runs().await;
    worker.shutdown().await.unwrap();
    // A waiting run is started within a second of the previous one's end.
    runs.into_iter().map(|(nominal, started, status)| (nominal, started / 10, status)).collect()
}

#[tokio::test(start_paused = true)]
async fn skip() {
    assert_eq!(timeline(Overlap::Skip).await, [(10, 10, Completed), (40, 40, Completed)]);
}

#[tokio::test(start_paused = true)]
async fn buffer_one() {
    let expected = [(10, 10, Completed), (20, 35, Completed), (40, 60, Completed)];
    let lines = timeline(Overlap::BufferOne).await;
    let nominal = |lines: &[Line]| lines.iter().map(|(nominal, ..)| *nominal).collect::<Vec<_>>();
    // At 60, the run of 40 may still be waiting or not, depending on the end of the second.
    assert_eq!(nominal(&lines[..3]), nominal(&expected));
    assert!(
        lines.iter().zip(expected).all(|(line, expected)| line.1 - expected.1 <= 1),
        "{lines:?}"
    );
}

#[tokio::test(start_paused = true)]
async fn buffer_all() {
    let lines = timeline(Overlap::BufferAll).await;
    for (at, (nominal, started, status)) in lines.iter().enumerate() {
        let at = at as i64;
        assert_eq!((*nominal, *status), (10 * (at + 1), Completed));
        let late = started - (10 + 25 * at);
        assert!((0..=at).contains(&late), "{lines:?}");
    }
    assert_eq!(lines.len(), 6);
}

#[tokio::test(start_paused = true)]
async fn cancel_other() {
    let expected = [
        (10, 10, Cancelled),
        (20, 20, Cancelled),
        (30, 30, Cancelled),
        (40, 40, Cancelled),
        (50, 50, Cancelled),
        (60, 60, Completed),
    ];
    assert_eq!(timeline(Overlap::CancelOther).await, expected);
}

#[tokio::test(start_paused = true)]
async fn terminate_other() {
    let expected = [
        (10, 10, Terminated),
        (20, 20, Terminated),
        (30, 30, Terminated),
        (40, 40, Terminated),
        (50, 50, Terminated),
        (60, 60, Completed),
    ];
    assert_eq!(timeline(Overlap::TerminateOther).await, expected);
}

#[tokio::test(start_paused = true)]
async fn allow_all() {
    let expected = [10, 20, 30, 40, 50, 60].map(|at| (at, at, Completed));
    assert_eq!(timeline(Overlap::AllowAll).await, expected);
}

#[tokio::test(start_paused = true)]
async fn a_limit_of_the_buffer_is_kept_and_logged() {
    let rig = Rig::new();
    let worker = rig.worker().start().await.unwrap();
    let schedule = rig.client.schedule("job");
    let create = schedule.create(tens(60), job(45)).overlap(Overlap::BufferAll);
    create.max_buffered(2).await.unwrap();
    rig.pass(300).await;
    assert_eq!(rig.nominal().await, [10, 20, 30, 60]);
    let counts = schedule.describe().await.unwrap().counts;
    assert_eq!((counts.started, counts.buffered, counts.dropped), (4, 3, 2));
    let log = schedule.log(None, 100).await.unwrap();
    let dropped = log.iter().filter(|entry| entry.what == LogKind::Dropped);
    assert_eq!(dropped.count(), 2);
    worker.shutdown().await.unwrap();
}

#[tokio::test(start_paused = true)]
async fn runs_of_one_workflow_id_exclude_each_other() {
    let rig = Rig::new();
    let worker = rig.worker().start().await.unwrap();
    let schedule = rig.client.schedule("job");
    let create = schedule.create(tens(30), job(15)).overlap(Overlap::AllowAll);
    create.workflow_id("the-{schedule}").await.unwrap();
    rig.pass(100).await;
    let counts = schedule.describe().await.unwrap().counts;
    assert_eq!((counts.started, counts.refused), (2, 1));
    let log = schedule.log(None, 100).await.unwrap();
    assert!(log.iter().any(|entry| matches!(entry.what, LogKind::IdTaken { .. })), "{log:?}");
    worker.shutdown().await.unwrap();
}
