//! The results of earlier runs that a run can read, and the effects of failures.

use piton::client::LogKind;
use piton::model::RunStatus;
use piton::store::RunKey;

use crate::{ALL, Rig, at, doomed, job, tens};

impl Rig {
    async fn run_of(&self, nominal: i64) -> piton::store::RunRecord {
        let id = format!("job-{}", at(nominal));
        self.client.find(RunKey::from(id)).await.unwrap().unwrap()
    }
}

/// A from 10 to 70, B from 20 to 30, C from 40 to 100; D, which begins at 80, knows the result of A: B began later and
/// ended earlier, and C ends while D runs.
#[tokio::test(start_paused = true)]
async fn the_last_completion_is_that_of_the_run_that_has_completed_last_at_the_start() {
    let rig = Rig::new();
    let worker = rig.worker().start().await.unwrap();
    let schedule = rig.client.schedule("job");
    schedule.create(tens(10), job(60)).overlap(ALL).await.unwrap();
    for (begin, length) in [(20, 10), (40, 60), (80, 50)] {
        let now = rig.store.clock().0 / 1_000_000 - crate::BEGIN;
        rig.pass((begin - 1 - now) as u64).await;
        schedule.update().spec(tens(begin)).call(job(length)).await.unwrap();
        rig.pass(2).await;
    }
    rig.pass(100).await;
    assert_eq!(rig.nominal().await, [10, 20, 40, 80]);
    let last_of = async |nominal: i64| {
        let run_id = rig.run_of(nominal).await.run_id;
        let before = schedule.before(run_id).await.unwrap().unwrap();
        assert!(before.last_failed.is_none());
        before.last_completed.map(|run| run.run_id)
    };
    assert_eq!(last_of(10).await, None);
    assert_eq!(last_of(20).await, None);
    assert_eq!(last_of(40).await, Some(rig.run_of(20).await.run_id));
    assert_eq!(last_of(80).await, Some(rig.run_of(10).await.run_id));
    worker.shutdown().await.unwrap();
}

#[tokio::test(start_paused = true)]
async fn a_failure_is_the_last_until_a_run_completes_and_keeps_the_last_completion() {
    let rig = Rig::new();
    let worker = rig.worker().start().await.unwrap();
    let schedule = rig.client.schedule("job");
    schedule.create(tens(10), job(1)).await.unwrap();
    rig.pass(15).await;
    schedule.update().spec(tens(20)).call(doomed(1)).await.unwrap();
    rig.pass(10).await;
    schedule.update().spec(tens(50)).call(job(1)).await.unwrap();
    rig.pass(60).await;
    let before = async |nominal: i64| {
        let run_id = rig.run_of(nominal).await.run_id;
        let before = schedule.before(run_id).await.unwrap().unwrap();
        let id = |run: Option<piton::store::RunRecord>| run.map(|run| run.run_id);
        (id(before.last_completed), id(before.last_failed))
    };
    let ids =
        [rig.run_of(10).await.run_id, rig.run_of(20).await.run_id, rig.run_of(30).await.run_id];
    assert_eq!(before(20).await, (Some(ids[0]), None));
    assert_eq!(before(30).await, (Some(ids[0]), Some(ids[1])));
    assert_eq!(before(40).await, (Some(ids[2]), None));
    worker.shutdown().await.unwrap();
}

#[tokio::test(start_paused = true)]
async fn a_run_that_fails_pauses_a_schedule_that_asks_for_it() {
    let rig = Rig::new();
    let worker = rig.worker().start().await.unwrap();
    let schedule = rig.client.schedule("job");
    schedule.create(tens(100), doomed(1)).pause_on_failure(true).await.unwrap();
    rig.pass(50).await;
    assert_eq!(rig.nominal().await, [10]);
    let described = schedule.describe().await.unwrap();
    assert!(described.paused);
    let run_id = rig.run_of(10).await.run_id;
    assert_eq!(described.note, format!("run {run_id} has failed"));
    let log = schedule.log(None, 10).await.unwrap();
    let paused = log.iter().find(|entry| matches!(entry.what, LogKind::Paused { .. })).unwrap();
    assert_eq!(paused.run_id, Some(run_id));
    worker.shutdown().await.unwrap();
}

#[tokio::test(start_paused = true)]
async fn a_run_that_is_cancelled_or_terminated_pauses_nothing() {
    let rig = Rig::new();
    let worker = rig.worker().start().await.unwrap();
    let schedule = rig.client.schedule("job");
    schedule.create(tens(30), job(5)).pause_on_failure(true).await.unwrap();
    rig.pass(11).await;
    let first = rig.client.run::<job>(format!("job-{}", at(10)).as_str()).await.unwrap();
    first.cancel("not needed").await.unwrap();
    rig.pass(10).await;
    let second = rig.client.run::<job>(format!("job-{}", at(20)).as_str()).await.unwrap();
    assert!(second.terminate("enough").await.unwrap());
    rig.pass(30).await;
    assert_eq!(rig.nominal().await, [10, 20, 30]);
    assert_eq!(rig.run_of(10).await.status, RunStatus::Cancelled);
    let third = rig.run_of(30).await.run_id;
    let before = schedule.before(third).await.unwrap().unwrap();
    assert!(before.last_completed.is_none() && before.last_failed.is_none());
    worker.shutdown().await.unwrap();
}
