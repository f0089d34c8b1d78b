//! Definitions and schemas.

use super::fixture::StoreUnderTest;
use crate::model::{DefinitionHash, SchemaHash};
use crate::store::{DefinitionRecord, SchemaRecord};

crate::store::conformance::list_cases!("definitions":
    a_definition_is_found_again,
    an_unknown_definition_is_not_found,
    the_first_description_stays,
    many_definitions_are_kept_at_once,
    definitions_are_found_by_their_hash_alone,
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

/// In the order of their hashes.
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
