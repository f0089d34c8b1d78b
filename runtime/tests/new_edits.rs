#![allow(missing_docs, unreachable_pub, clippy::unwrap_used, clippy::unused_async, dead_code)]
#[path = "evolution/documented.rs"]
mod documented;
#[path = "evolution/drive.rs"]
mod drive;
#[path = "evolution/edit.rs"]
mod edit;
#[path = "evolution/forms.rs"]
mod forms;
#[path = "evolution/rewritten.rs"]
mod rewritten;
#[path = "evolution/shop.rs"]
mod shop;
pub type Group = (&'static str, fn() -> Vec<edit::Edit>);
const GROUPS: &[Group] = &[("rewritten", rewritten::all), ("forms", forms::all)];
#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn all() {
    let folder = tempfile::tempdir().unwrap();
    let url = format!("sqlite:{}", folder.path().join("shop.db").display());
    let store = piton::store::connect(&url).await.unwrap();
    let mut failures = Vec::new();
    for edit in GROUPS.iter().flat_map(|(_, edits)| edits()) {
        failures.extend(drive::drive(&store, &edit).await);
    }
    assert!(failures.is_empty(), "{}", failures.join("\n"));
}
#[test]
fn documented() {
    documented::check(GROUPS).unwrap();
}
