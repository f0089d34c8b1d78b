//! A transition that has waited for a row checks its content again, and claims skip rows that others are claiming.

use std::sync::Arc;

use piton::model::{DefinitionHash, Handle, SchemaHash};
use piton::store::{
    ActivityKey, ArrivalOutcome, CommitOutcome, CommitStep, DefinitionRecord, Effect,
    FinishOutcome, HeartbeatOutcome, NewArrival, NewRun, SchemaRecord, StartOutcome, WorkerLease,
};

use super::scene::{
    ENDED, Row, Scene, activity, beat, cancel, claim, claim_activities, close, end, ended, outcome,
    park, retry, signal,
};
use crate::fixture::{PATIENCE, keep, new_run};

/// A statement that gives a run to another worker.
pub(super) fn given_to(worker: WorkerLease) -> String {
    let (id, epoch) = (worker.worker_id.0, worker.epoch.0);
    format!(
        "status = 'running', blocked = NULL, blocked_at = NULL, due_at = NULL, worker_id = {id}, \
         epoch = {epoch}"
    )
}

pub(crate) async fn a_run_that_is_adopted_meanwhile_is_not_unblocked(url: String) {
    let mut scene = Scene::new(url).await;
    let (worker, before) = scene.workers().await;
    let run_id = scene.run(Some(before)).await;
    scene.block(before, run_id, 0).await;
    scene.begin_with(Row::Run(run_id), &given_to(worker)).await;
    let store = Arc::clone(&scene.store);
    let unblocked = tokio::spawn(async move { store.unblock_runs(&["order"], None).await });
    scene.until_waiting_at("piton_runs", 1).await;
    scene.commit().await;
    assert_eq!(ended(unblocked).await.expect("it is answered"), 0);
    let store = Arc::clone(&scene.store);
    store.commit_steps(worker, &[&keep(run_id, 1)]).await.expect("it is still its owner");
}

pub(crate) async fn a_run_that_is_adopted_meanwhile_is_not_adopted_again(url: String) {
    let mut scene = Scene::new(url).await;
    let (worker, before) = scene.workers().await;
    let run_id = scene.run(Some(before)).await;
    scene.block(before, run_id, 0).await;
    scene.begin_with(Row::Run(run_id), &given_to(before)).await;
    let store = Arc::clone(&scene.store);
    let adopted = tokio::spawn(async move { store.adopt_blocked(worker, &[run_id], 10).await });
    scene.until_waiting_at("piton_runs", 1).await;
    scene.commit().await;
    assert_eq!(ended(adopted).await.expect("it is answered").len(), 0);
    let own = format!("SELECT count(*) FROM piton_runs WHERE worker_id = {}", before.worker_id.0);
    assert_eq!(scene.count(own).await, 1);
}

pub(crate) async fn a_run_that_ends_meanwhile_is_not_taken_away(url: String) {
    let mut scene = Scene::new(url).await;
    for is_fenced in [true, false] {
        let worker = scene.worker().await;
        let run_id = scene.run(Some(worker)).await;
        scene.begin_with(Row::Run(run_id), ENDED).await;
        let store = Arc::clone(&scene.store);
        let gone = tokio::spawn(async move {
            match is_fenced {
                true => store.fence_workers(&[worker.worker_id]).await,
                false => store.release_worker(worker).await.map(|()| 0),
            }
        });
        scene.until_waiting_at("piton_runs", 1).await;
        scene.commit().await;
        assert_eq!(ended(gone).await.expect("it is answered"), 0);
        assert_eq!(
            scene.count("SELECT count(*) FROM piton_runs WHERE due_at IS NOT NULL").await,
            0
        );
    }
}

pub(crate) async fn an_attempt_that_ends_meanwhile_is_not_cut_off(url: String) {
    let mut scene = Scene::new(url).await;
    let (worker, owner) = scene.workers().await;
    let run_id = scene.run(Some(owner)).await;
    let made = scene.attempts(owner, &[(run_id, 0)], 0, worker).await;
    let over = "worker_id = NULL, epoch = NULL";
    scene.begin_with(Row::Activity(made[0].key), over).await;
    let store = Arc::clone(&scene.store);
    let fenced = tokio::spawn(async move { store.fence_workers(&[worker.worker_id]).await });
    scene.until_waiting_at("piton_activities", 1).await;
    scene.commit().await;
    ended(fenced).await.expect("it can be fenced");
    let cut_off = "SELECT interruptions + count(due_at) OVER () FROM piton_activities";
    assert_eq!(scene.count(cut_off).await, 0);
}

/// Another attempt is running by then.
pub(crate) async fn a_report_on_an_ended_attempt_is_stale(url: String) {
    let mut scene = Scene::new(url).await;
    let (worker, owner) = scene.workers().await;
    let run_id = scene.run(Some(owner)).await;
    let mut made = scene.attempts(owner, &[(run_id, 0)], 0, worker).await.remove(0);
    for how in [outcome, retry] {
        scene.begin_with(Row::Activity(made.key), "attempt = attempt + 1").await;
        let (store, ends) = (Arc::clone(&scene.store), vec![end(worker, &made, how())]);
        let ended_by = tokio::spawn(async move { store.finish_activities(ends).await });
        scene.until_waiting_at("piton_activities", 1).await;
        scene.commit().await;
        assert_eq!(ended(ended_by).await.expect("it is answered"), [FinishOutcome::Stale]);
        made.attempt += 1;
    }
    scene.begin_with(Row::Activity(made.key), "attempt = attempt + 1").await;
    let (store, beats) = (Arc::clone(&scene.store), vec![beat(worker, &made)]);
    let noted = tokio::spawn(async move { store.heartbeat_activities(beats).await });
    scene.until_waiting_at("piton_activities", 1).await;
    scene.commit().await;
    assert_eq!(ended(noted).await.expect("it is answered"), [HeartbeatOutcome::Stale]);
    assert_eq!(scene.inbox(run_id).await, [0_i64; 0]);
}

/// Two concurrent arrivals get different numbers; two with the same dedup key are one.
pub(crate) async fn arrivals_of_one_run_wait_for_each_other(url: String) {
    let mut scene = Scene::new(url).await;
    let run_id = scene.run(None).await;
    scene.bar("INSERT", "piton_inbox").await;
    let keyed = move || NewArrival { dedup_key: Some("once".into()), ..signal(run_id) };
    let deliver = |arrival| {
        let store = Arc::clone(&scene.store);
        tokio::spawn(async move { store.deliver(vec![arrival]).await })
    };
    let first = deliver(keyed());
    scene.until_barred(1).await;
    let deliver = |arrival| {
        let store = Arc::clone(&scene.other);
        tokio::spawn(async move { store.deliver(vec![arrival]).await })
    };
    let (again, other) = (deliver(keyed()), deliver(signal(run_id)));
    scene.until_waiting_at("piton_runs", 2).await;
    scene.open_barrier().await;
    assert_eq!(ended(first).await.expect("ok"), [ArrivalOutcome::Accepted { seq: 1 }]);
    assert_eq!(ended(again).await.expect("ok"), [ArrivalOutcome::Duplicate]);
    assert_eq!(ended(other).await.expect("ok"), [ArrivalOutcome::Accepted { seq: 2 }]);
}

pub(crate) async fn outcomes_of_one_run_wait_for_each_other(url: String) {
    let mut scene = Scene::new(url).await;
    let worker = scene.worker().await;
    let run_id = scene.run(Some(worker)).await;
    let made = scene.attempts(worker, &[(run_id, 0), (run_id, 1)], 0, worker).await;
    scene.bar("INSERT", "piton_inbox").await;
    let mut calls = Vec::new();
    for made in &made {
        let (store, ends) = (Arc::clone(&scene.store), vec![end(worker, made, outcome())]);
        calls.push(tokio::spawn(async move { store.finish_activities(ends).await }));
        match calls.len() {
            1 => scene.until_barred(1).await,
            _ => scene.until_waiting_at("piton_runs", 1).await,
        }
    }
    scene.open_barrier().await;
    for call in calls {
        assert_eq!(ended(call).await.expect("ok"), [FinishOutcome::Finished]);
    }
    assert_eq!(scene.inbox(run_id).await, [1, 2]);
}

/// A parking run is due at once, and an ending run leaves no arrival but signals.
pub(crate) async fn a_step_sees_concurrent_arrivals(url: String) {
    let mut scene = Scene::new(url).await;
    let worker = scene.worker().await;
    for is_the_end in [false, true] {
        let run_id = scene.run(Some(worker)).await;
        scene.bar("INSERT", "piton_inbox").await;
        let store = Arc::clone(&scene.other);
        let delivered =
            tokio::spawn(async move { store.deliver(vec![cancel(run_id), signal(run_id)]).await });
        scene.until_barred(1).await;
        let store = Arc::clone(&scene.store);
        let step = if is_the_end { close(run_id, 0) } else { park(run_id, 0) };
        let committed = tokio::spawn(async move { store.commit_steps(worker, &[&step]).await });
        scene.until_waiting_at("piton_runs", 1).await;
        scene.open_barrier().await;
        ended(delivered).await.expect("it can be delivered");
        assert_eq!(ended(committed).await.expect("ok"), [CommitOutcome::Committed]);
        let left: &[i64] = if is_the_end { &[2] } else { &[1, 2] };
        assert_eq!(scene.inbox(run_id).await, left);
        let due = format!("SELECT count(due_at) FROM piton_runs WHERE run_id = '{run_id}'");
        assert_eq!(scene.count(due).await, i64::from(!is_the_end));
        scene.remove_barrier("piton_inbox").await;
    }
}

pub(crate) async fn a_run_that_is_terminated_keeps_only_signals_that_arrive_meanwhile(url: String) {
    let mut scene = Scene::new(url).await;
    let run_id = scene.run(None).await;
    scene.bar("INSERT", "piton_inbox").await;
    let store = Arc::clone(&scene.other);
    let delivered =
        tokio::spawn(async move { store.deliver(vec![cancel(run_id), signal(run_id)]).await });
    scene.until_barred(1).await;
    let store = Arc::clone(&scene.store);
    let terminated = tokio::spawn(async move { store.terminate_run(run_id, "enough").await });
    scene.until_waiting_at("piton_runs", 1).await;
    scene.open_barrier().await;
    ended(delivered).await.expect("it can be delivered");
    assert!(ended(terminated).await.expect("it is answered"));
    assert_eq!(scene.inbox(run_id).await, [2]);
}

/// A claim skips rows that another one is claiming, and takes the following ones.
pub(crate) async fn claims_do_not_wait_for_each_other(url: String) {
    let mut scene = Scene::new(url).await;
    let (one, two) = scene.workers().await;
    let mut runs = [scene.run(None).await, scene.run(None).await];
    let due = "SELECT count(*) FROM piton_runs WHERE due_at IS NOT NULL";
    assert_eq!(scene.count(due).await, 2);
    scene.lock(Row::Run(runs[0])).await;
    let claimed = tokio::time::timeout(PATIENCE, claim(&*scene.store, two, 1)).await;
    assert_eq!(claimed.expect("it waits for nobody").expect("it can claim"), [runs[1]]);
    scene.commit().await;
    assert_eq!(claim(&*scene.store, one, 1).await.expect("it can claim"), [runs[0]]);

    runs.sort_unstable();
    let asks =
        |run_id| CommitStep { effects: vec![Effect::Enqueue(activity(0))], ..keep(run_id, 0) };
    for (owner, run_id) in [(one, runs[0]), (two, runs[1])] {
        scene.store.commit_steps(owner, &[&asks(run_id)]).await.expect("it can be committed");
    }
    let keys = runs.map(|run_id| ActivityKey { run_id, handle: Handle(0) });
    scene.lock(Row::Activity(keys[0])).await;
    let claimed = tokio::time::timeout(PATIENCE, claim_activities(&*scene.store, two, 1)).await;
    let claimed = claimed.expect("it waits for nobody").expect("it can claim");
    assert_eq!(claimed.iter().map(|made| made.key).collect::<Vec<_>>(), [keys[1]]);
    scene.commit().await;
    let rest = claim_activities(&*scene.store, one, 1).await.expect("it can claim");
    assert_eq!(rest.iter().map(|made| made.key).collect::<Vec<_>>(), [keys[0]]);
}

/// Two starts with one workflow id: the second waits for the end of the first.
pub(crate) async fn a_start_waits_for_another_of_its_id(url: String) {
    let mut scene = Scene::new(url).await;
    scene.bar("INSERT", "piton_runs").await;
    let named = || NewRun { workflow_id: "the one".into(), ..new_run(None) };
    let (one, two) = (named(), named());
    let run_id = one.run_id;
    let (store, other) = (Arc::clone(&scene.store), Arc::clone(&scene.other));
    let first = tokio::spawn(async move { store.start_runs(vec![one]).await });
    scene.until_barred(1).await;
    let second = tokio::spawn(async move { other.start_runs(vec![two, new_run(None)]).await });
    scene.until_waiting(1).await;
    scene.open_barrier().await;
    let started = || StartOutcome::Started { owned: false };
    assert_eq!(ended(first).await.expect("it can be started"), [started()]);
    let outcomes = ended(second).await.expect("it is answered");
    assert_eq!(outcomes, [StartOutcome::IdTaken { run_id }, started()]);
}

/// Two starts with one workflow id: the database refuses the second, and the conflicting run has ended before the store
/// can read it. Another run of the same batch has the id of a run with another workflow id.
pub(crate) async fn an_ended_run_does_not_block_a_start(url: String) {
    let mut scene = Scene::new(url).await;
    let named = NewRun { workflow_id: "somebody".into(), ..new_run(None) };
    let ids = ["the one".to_owned(), named.run_id.to_string()];
    scene.store.start_runs(vec![named]).await.expect("it can be started");
    let first = new_run(None).run_id;
    let (id, row) = (&ids[0], Row::Run(first));
    let sql = format!(
        "INSERT INTO piton_runs (run_id, workflow_id, workflow, status, started_at, state, snapshot, \
         arguments) VALUES ('{first}', '{id}', 'order', 'running', 0, '', '', '')"
    );
    scene.begin(sql).await;
    let store = Arc::clone(&scene.store);
    let runs = ids.map(|workflow_id| NewRun { workflow_id, ..new_run(None) }).to_vec();
    let started = tokio::spawn(async move { store.start_runs(runs).await });
    scene.until_waiting(1).await;
    let changed = scene.change_next(row, ENDED).await;
    scene.commit().await;
    ended(changed).await;
    let outcomes = ended(started).await.expect("it is answered");
    assert_eq!(outcomes, vec![StartOutcome::Started { owned: false }; 2]);
}

/// Processes that start at the same time do not deadlock on the rows that all of them write.
pub(crate) async fn common_rows_are_written_in_one_order(url: String) {
    let mut scene = Scene::new(url).await;
    let first = "INSERT INTO piton_definitions VALUES ('a', 1, '')";
    scene.begin(first).await;
    let store = Arc::clone(&scene.store);
    let recorded = tokio::spawn(async move {
        let definition = |workflow: &str| DefinitionRecord {
            workflow: workflow.into(),
            hash: DefinitionHash(1),
            description: String::new(),
        };
        store.record_definitions(&[definition("b"), definition("a")]).await
    });
    scene.until_waiting(1).await;
    scene.go_on("INSERT INTO piton_definitions VALUES ('b', 1, '')").await;
    scene.commit().await;
    ended(recorded).await.expect("they are there");

    scene.begin("INSERT INTO piton_schemas VALUES (1, '')").await;
    let store = Arc::clone(&scene.store);
    let recorded = tokio::spawn(async move {
        let schema = |hash| SchemaRecord { hash: SchemaHash(hash), schema: String::new() };
        store.record_schemas(&[schema(2), schema(1)]).await
    });
    scene.until_waiting(1).await;
    scene.go_on("INSERT INTO piton_schemas VALUES (2, '')").await;
    scene.commit().await;
    ended(recorded).await.expect("they are there");

    let run = |workflow_id: &str| NewRun { workflow_id: workflow_id.into(), ..new_run(None) };
    let (a, b) = (run("a"), run("b"));
    let insert = |workflow_id: &str| {
        format!(
            "INSERT INTO piton_runs (run_id, workflow_id, workflow, status, started_at, state, \
             snapshot, arguments) VALUES (gen_random_uuid(), '{workflow_id}', 'order', 'running', 0, \
             '', '', '')"
        )
    };
    scene.begin(insert("a")).await;
    let store = Arc::clone(&scene.store);
    let started = tokio::spawn(async move { store.start_runs(vec![b, a]).await });
    scene.until_waiting(1).await;
    scene.go_on(insert("b")).await;
    scene.commit().await;
    let outcomes = ended(started).await.expect("it is answered");
    let is_taken = |outcome: &StartOutcome| matches!(outcome, StartOutcome::IdTaken { .. });
    assert!(outcomes.iter().all(is_taken), "{outcomes:?}");
}
