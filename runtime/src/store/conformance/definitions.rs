//! Definitions and schemas.

use super::fixture::{StoreUnderTest, WORKFLOW, block, close, keep, new_run, park};
use crate::filter;
use crate::model::{DefinitionHash, RunId, RunStatus, SchemaHash};
use crate::store::{
    CommitOutcome, CommitStep, DefinitionCount, DefinitionRecord, DefinitionSummary, NewRun,
    RunQuery, SchemaRecord, WorkerLease,
};

crate::store::conformance::list_cases!("definitions":
    a_definition_is_found_again,
    an_unknown_definition_is_not_found,
    the_first_description_stays,
    many_definitions_are_kept_at_once,
    definitions_are_found_by_their_hash_alone,
    a_run_has_the_definition_that_it_was_started_by,
    a_run_has_the_definition_of_its_last_state,
    open_runs_are_counted_by_definition_and_state,
    runs_are_listed_and_counted_by_definition_and_state,
    definitions_are_listed_with_their_open_runs,
    schemas_are_found_again,
    the_first_schema_with_a_hash_stays,
    many_schemas_are_kept_and_found_at_once,
);

fn definition(workflow: &str, hash: u64, description: &str) -> DefinitionRecord {
    DefinitionRecord {
        workflow: workflow.into(),
        hash: DefinitionHash(hash),
        description: description.into(),
    }
}

async fn record(t: &StoreUnderTest, definitions: &[DefinitionRecord]) {
    t.store.record_definitions(definitions).await.expect("definitions can be kept");
}

async fn find(t: &StoreUnderTest, workflow: &str, hash: u64) -> Option<DefinitionRecord> {
    let found = t.store.find_definition(workflow, DefinitionHash(hash)).await;
    found.expect("definitions can be looked up")
}

async fn a_definition_is_found_again(t: StoreUnderTest) {
    let definitions = [definition("a", 1, "one"), definition("a", u64::MAX, "two")];
    record(&t, &definitions).await;
    assert_eq!(find(&t, "a", 1).await.as_ref(), Some(&definitions[0]));
    assert_eq!(find(&t, "a", u64::MAX).await.as_ref(), Some(&definitions[1]));
}

async fn an_unknown_definition_is_not_found(t: StoreUnderTest) {
    record(&t, &[definition("a", 1, "one")]).await;
    assert_eq!(find(&t, "a", 2).await, None);
    assert_eq!(find(&t, "b", 1).await, None);
}

async fn the_first_description_stays(t: StoreUnderTest) {
    record(&t, &[definition("a", 1, "one")]).await;
    record(&t, &[definition("a", 1, "other"), definition("a", 2, "two")]).await;
    assert_eq!(find(&t, "a", 1).await.map(|found| found.description), Some("one".into()));
    assert!(find(&t, "a", 2).await.is_some());
}

async fn many_definitions_are_kept_at_once(t: StoreUnderTest) {
    record(&t, &[]).await;
    let definitions: Vec<_> = (0..600).map(|hash| definition("a", hash, "x")).collect();
    record(&t, &definitions).await;
    assert!(find(&t, "a", 0).await.is_some() && find(&t, "a", 599).await.is_some());
}

async fn definitions_are_found_by_their_hash_alone(t: StoreUnderTest) {
    let hash = u64::MAX - 1;
    let [b, a] = [definition("b", hash, "of b"), definition("a", hash, "of a")];
    record(&t, &[b.clone(), definition("a", 2, "other"), a.clone()]).await;
    let find = async |hash| t.other.find_definitions(DefinitionHash(hash)).await.expect("they can");
    assert_eq!(find(hash).await, [a, b]);
    assert_eq!(find(3).await, []);
}

fn schema(hash: u64, schema: &str) -> SchemaRecord {
    SchemaRecord { hash: SchemaHash(hash), schema: schema.into() }
}

async fn record_schemas(t: &StoreUnderTest, schemas: &[SchemaRecord]) {
    t.store.record_schemas(schemas).await.expect("schemas can be kept");
}

/// Ordered by hash.
async fn find_schemas(t: &StoreUnderTest, hashes: &[u64]) -> Vec<SchemaRecord> {
    let hashes: Vec<SchemaHash> = hashes.iter().copied().map(SchemaHash).collect();
    let mut found = t.other.find_schemas(&hashes).await.expect("schemas can be looked up");
    found.sort_by_key(|schema| schema.hash.0);
    found
}

async fn schemas_are_found_again(t: StoreUnderTest) {
    let schemas = [schema(0, "zero"), schema(7, "seven"), schema(u64::MAX, "the last")];
    record_schemas(&t, &schemas).await;
    assert_eq!(find_schemas(&t, &[u64::MAX, 7, 8, 7]).await, schemas[1..]);
    assert_eq!(find_schemas(&t, &[0]).await, schemas[..1]);
    assert_eq!(find_schemas(&t, &[8]).await, []);
    assert_eq!(find_schemas(&t, &[]).await, []);
}

async fn the_first_schema_with_a_hash_stays(t: StoreUnderTest) {
    record_schemas(&t, &[schema(1, "first")]).await;
    record_schemas(&t, &[schema(2, "two"), schema(1, "other"), schema(2, "two")]).await;
    assert_eq!(find_schemas(&t, &[1, 2]).await, [schema(1, "first"), schema(2, "two")]);
}

async fn many_schemas_are_kept_and_found_at_once(t: StoreUnderTest) {
    record_schemas(&t, &[]).await;
    let schemas: Vec<_> = (0..600).map(|hash| schema(hash, "x")).collect();
    record_schemas(&t, &schemas).await;
    let hashes: Vec<u64> = (0..700).collect();
    assert_eq!(find_schemas(&t, &hashes).await, schemas);
}

/// A definition whose hash does not fit a signed number.
const OLD: DefinitionHash = DefinitionHash(u64::MAX - 6);

const NEW: DefinitionHash = DefinitionHash(7);

/// A run that was started by [`OLD`].
async fn start(t: &StoreUnderTest, workflow: &str, worker: WorkerLease) -> RunId {
    let run_id = RunId::new();
    let run = NewRun {
        run_id,
        workflow: workflow.into(),
        owner: Some(worker),
        definition: OLD,
        ..new_run(&run_id.to_string())
    };
    t.start_all(vec![run]).await;
    run_id
}

fn by(definition: DefinitionHash, step: CommitStep) -> CommitStep {
    CommitStep { definition: Some(definition), ..step }
}

async fn commit_all(t: &StoreUnderTest, worker: WorkerLease, steps: Vec<CommitStep>) {
    let committed = vec![CommitOutcome::Committed; steps.len()];
    assert_eq!(t.commit_all(worker, steps).await, committed);
}

async fn a_run_has_the_definition_that_it_was_started_by(t: StoreUnderTest) {
    let worker = t.worker().await;
    let run_ids = [start(&t, "a", worker).await, start(&t, "b", worker).await];
    for run_id in run_ids {
        assert_eq!(t.record(run_id).await.definition, Some(OLD));
    }
    assert_eq!(t.record(t.start("c").await).await.definition, Some(DefinitionHash(1)));
}

/// In a single commit and in a batch; a commit without a state does not change it.
async fn a_run_has_the_definition_of_its_last_state(t: StoreUnderTest) {
    let worker = t.worker().await;
    let run_id = start(&t, "a", worker).await;
    commit_all(&t, worker, vec![keep(run_id, 0, "same")]).await;
    assert_eq!(t.record(run_id).await.definition, Some(OLD));
    commit_all(&t, worker, vec![by(NEW, keep(run_id, 1, "other"))]).await;
    assert_eq!(t.record(run_id).await.definition, Some(NEW));
    let run_ids = [
        start(&t, "a", worker).await,
        start(&t, "a", worker).await,
        start(&t, "a", worker).await,
        start(&t, "a", worker).await,
    ];
    let steps = vec![
        by(NEW, keep(run_ids[0], 0, "kept")),
        by(NEW, park(run_ids[1], 0, None, 0)),
        block(run_ids[2], 0),
        close(run_ids[3], 0),
    ];
    commit_all(&t, worker, steps).await;
    let mut definitions = Vec::new();
    for run_id in run_ids {
        definitions.extend(t.record(run_id).await.definition);
    }
    assert_eq!(definitions, [NEW, NEW, OLD, OLD]);
    let lost = by(NEW, keep(run_ids[2], 5, "late"));
    assert_eq!(t.commit(worker, lost).await, CommitOutcome::Lost);
    assert_eq!(t.record(run_ids[2]).await.definition, Some(OLD));
}

/// Runs of [`WORKFLOW`]: two by [`OLD`], three by [`NEW`], of which one is blocked, and a closed one. And a run of
/// another workflow.
async fn start_some(t: &StoreUnderTest) {
    let worker = t.worker().await;
    let mut run_ids = Vec::new();
    for _ in 0..6 {
        run_ids.push(start(t, WORKFLOW, worker).await);
    }
    start(t, "other", worker).await;
    let steps = vec![
        by(NEW, keep(run_ids[2], 0, "paid")),
        by(NEW, keep(run_ids[3], 0, "paid")),
        by(NEW, keep(run_ids[4], 0, "paid")),
        close(run_ids[5], 0),
    ];
    commit_all(t, worker, steps).await;
    commit_all(t, worker, vec![block(run_ids[4], 1)]).await;
}

async fn open_runs_are_counted_by_definition_and_state(t: StoreUnderTest) {
    start_some(&t).await;
    let count = async |workflow| t.other.count_by_definition(workflow).await.expect("they can");
    let expected = |definition, state: &str, status, runs| DefinitionCount {
        definition: Some(definition),
        state: state.into(),
        status,
        runs,
    };
    assert_eq!(
        count(WORKFLOW).await,
        [
            expected(NEW, "paid", RunStatus::Blocked, 1),
            expected(NEW, "paid", RunStatus::Running, 2),
            expected(OLD, "start", RunStatus::Running, 2),
        ]
    );
    assert_eq!(count("other").await, [expected(OLD, "start", RunStatus::Running, 1)]);
    assert_eq!(count("unknown").await, []);
    assert_eq!(count("un\0known").await, []);
}

async fn runs_are_listed_and_counted_by_definition_and_state(t: StoreUnderTest) {
    start_some(&t).await;
    let of = |definition: Option<DefinitionHash>, state: Option<&str>| {
        let by_definition = definition.map(|hash| filter::definition().equals(hash));
        let by_state = state.map(|state| filter::state().equals(state));
        by_definition.unwrap_or_default() & by_state.unwrap_or_default()
    };
    for (filter, expected) in [
        (of(None, None), 7),
        (of(Some(OLD), None), 4),
        (of(Some(NEW), None), 3),
        (of(Some(DefinitionHash(9)), None), 0),
        (of(None, Some("paid")), 3),
        (of(Some(OLD), Some("paid")), 0),
        (of(Some(NEW), Some("paid")), 3),
        (of(None, Some("pa\0id")), 0),
    ] {
        let listed = t.store.list_runs(RunQuery::of(&filter)).await.expect("runs can be listed");
        assert_eq!(listed.len(), expected, "{filter:?}");
        let counts = t.store.count_runs(&filter, None).await.expect("runs can be counted");
        let count: u64 = counts.iter().map(|count| count.runs).sum();
        assert_eq!(count, expected as u64, "{filter:?}");
    }
    let blocked = filter::status().equals(RunStatus::Blocked) & of(Some(NEW), None);
    let listed = t.store.list_runs(RunQuery::of(&blocked)).await.expect("runs can be listed");
    assert_eq!(listed.len(), 1);
}

async fn definitions_are_listed_with_their_open_runs(t: StoreUnderTest) {
    start_some(&t).await;
    let recorded = [
        definition("other", NEW.0, ""),
        definition(WORKFLOW, OLD.0, ""),
        definition(WORKFLOW, 8, ""),
        definition(WORKFLOW, NEW.0, ""),
        definition("other", OLD.0, ""),
    ];
    record(&t, &recorded).await;
    let list = async |workflow| t.other.list_definitions(workflow).await.expect("they can");
    let expected = |workflow: &str, hash, open_runs| DefinitionSummary {
        workflow: workflow.into(),
        hash,
        open_runs,
    };
    let all = [
        expected(WORKFLOW, NEW, 3),
        expected(WORKFLOW, DefinitionHash(8), 0),
        expected(WORKFLOW, OLD, 2),
        expected("other", NEW, 0),
        expected("other", OLD, 1),
    ];
    assert_eq!(list(None).await, all);
    assert_eq!(list(Some("other")).await, all[3..]);
    assert_eq!(list(Some("unknown")).await, []);
    assert_eq!(list(Some("un\0known")).await, []);
}
