//! Definitions.

use super::fixture::StoreUnderTest;
use crate::model::DefinitionHash;
use crate::store::DefinitionRecord;

crate::store::conformance::list_cases!("definitions":
    a_definition_is_found_again,
    an_unknown_definition_is_not_found,
    the_first_description_stays,
    many_definitions_are_kept_at_once,
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
