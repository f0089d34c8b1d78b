//! A change of a run by hand and a concurrent transition each act on the other's committed state.

use std::sync::Arc;

use piton::model::{DefinitionHash, RunId, StepNo};
use piton::store::{CommitOutcome, EditOutcome, EditRun, NewAuditEntry, NewRun, StartOutcome};

use super::recheck::given_to;
use super::scene::{Row, Scene, claim, ended, park, signal};
use crate::fixture::new_run;

pub(crate) fn edit_of(run_id: RunId, step_no: i64) -> EditRun {
    EditRun {
        run_id,
        step_no: StepNo(step_no),
        snapshot: vec![9; 300],
        state: "edited".into(),
        definition: DefinitionHash(2),
        wake_at: None,
        effects: Vec::new(),
        called_again: Vec::new(),
        attempts: 0,
        given_up: Vec::new(),
        arrivals: Vec::new(),
        reopen: false,
        audit: NewAuditEntry {
            who: "ann".into(),
            action: "edit".into(),
            reason: "why".into(),
            details: None,
        },
    }
}

/// Returns the outcome of a change that waits for the run's lock while a statement changes the run.
async fn edit_during(scene: &mut Scene, run_id: RunId, change: &str) -> EditOutcome {
    scene.begin_with(Row::Run(run_id), change).await;
    let store = Arc::clone(&scene.store);
    let edited = tokio::spawn(async move { store.edit_run(edit_of(run_id, 0)).await });
    scene.until_waiting_at("piton_runs", 1).await;
    scene.commit().await;
    ended(edited).await.expect("it is answered")
}

pub(crate) async fn a_run_that_is_taken_meanwhile_is_not_edited(url: String) {
    let mut scene = Scene::new(url).await;
    let worker = scene.worker().await;
    let run_id = scene.run(None).await;
    let outcome = edit_during(&mut scene, run_id, &given_to(worker)).await;
    assert_eq!(outcome, EditOutcome::Busy { worker: worker.worker_id });
}

pub(crate) async fn a_run_that_moves_meanwhile_is_not_edited(url: String) {
    let mut scene = Scene::new(url).await;
    let run_id = scene.run(None).await;
    let outcome = edit_during(&mut scene, run_id, "step_no = step_no + 1").await;
    assert_eq!(outcome, EditOutcome::Moved { step_no: StepNo(1) });
    assert_eq!(scene.count("SELECT count(*) FROM piton_audit").await, 0);
}

/// A claim skips a locked run.
pub(crate) async fn a_claim_skips_a_run_that_is_being_edited(url: String) {
    let mut scene = Scene::new(url).await;
    let worker = scene.worker().await;
    let run_id = scene.run(None).await;
    scene.bar("INSERT", "piton_audit").await;
    let store = Arc::clone(&scene.store);
    let edited = tokio::spawn(async move { store.edit_run(edit_of(run_id, 0)).await });
    scene.until_barred(1).await;
    assert_eq!(claim(&*scene.other, worker, 10).await.expect("it can claim"), []);
    scene.open_barrier().await;
    assert_eq!(ended(edited).await.expect("it is answered"), EditOutcome::Edited);
    assert_eq!(claim(&*scene.other, worker, 10).await.expect("it can claim"), []);
}

pub(crate) async fn an_arrival_during_an_edit_makes_the_run_due(url: String) {
    let mut scene = Scene::new(url).await;
    let worker = scene.worker().await;
    let run_id = scene.run(Some(worker)).await;
    let parked = scene.store.commit_steps(worker, &[&park(run_id, 0)]).await;
    assert_eq!(parked.expect("a valid worker can commit"), [CommitOutcome::Committed]);
    scene.bar("INSERT", "piton_inbox").await;
    let store = Arc::clone(&scene.other);
    let delivered = tokio::spawn(async move { store.deliver(vec![signal(run_id)]).await });
    scene.until_barred(1).await;
    let store = Arc::clone(&scene.store);
    let edited = tokio::spawn(async move { store.edit_run(edit_of(run_id, 1)).await });
    scene.until_waiting_at("piton_runs", 1).await;
    scene.open_barrier().await;
    ended(delivered).await.expect("it can be delivered");
    assert_eq!(ended(edited).await.expect("it is answered"), EditOutcome::Edited);
    let due = format!("SELECT count(due_at) FROM piton_runs WHERE run_id = '{run_id}'");
    assert_eq!(scene.count(due).await, 1);
}

/// The first one gets the workflow id, even if it is the id of the closed run.
pub(crate) async fn a_start_and_a_run_that_is_opened_again_share_no_workflow_id(url: String) {
    let mut scene = Scene::new(url).await;
    for is_named in [true, false] {
        let run = new_run(None);
        let run_id = run.run_id;
        let workflow_id = if is_named { "the one".to_owned() } else { run_id.to_string() };
        let named = |run: NewRun| NewRun { workflow_id: workflow_id.clone(), ..run };
        scene.store.start_runs(vec![named(run)]).await.expect("it can be started");
        assert!(scene.store.terminate_run(run_id, "enough").await.expect("it can be ended"));
        let insert = format!(
            "INSERT INTO piton_runs (run_id, workflow_id, workflow, status, started_at, state, \
             snapshot) VALUES (gen_random_uuid(), '{workflow_id}', 'order', 'running', 0, '', '')"
        );
        scene.begin(insert).await;
        let store = Arc::clone(&scene.store);
        let again = move || EditRun { reopen: true, ..edit_of(run_id, 0) };
        let edited = tokio::spawn(async move { store.edit_run(again()).await });
        scene.until_waiting(1).await;
        scene.commit().await;
        let outcome = ended(edited).await.expect("it is answered");
        let EditOutcome::IdTaken { run_id: open } = outcome else { panic!("{outcome:?}") };
        assert!(scene.store.terminate_run(open, "enough").await.expect("it can be ended"));
        let edited = scene.store.edit_run(again()).await.expect("it is answered");
        assert_eq!(edited, EditOutcome::Edited);
        let started = scene.other.start_runs(vec![named(new_run(None))]).await;
        assert_eq!(started.expect("it is answered"), [StartOutcome::IdTaken { run_id }]);
    }
}
