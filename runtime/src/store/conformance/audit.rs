//! The audit table.

use super::fixture::{StoreUnderTest, edit_of};
use crate::model::RunId;
use crate::store::weight::MAX_ANSWER_BYTES;
use crate::store::{AuditEntry, AuditEntryId, EditOutcome, EditRun, NewAuditEntry};

crate::store::conformance::list_cases!("audit":
    an_entry_is_kept_as_it_was_written,
    entries_are_listed_newest_first,
    entries_come_by_pages,
    a_page_ends_with_the_entries_that_fit,
    a_change_that_was_not_made_has_no_entry,
);

async fn list(
    t: &StoreUnderTest,
    run_id: Option<RunId>,
    before: Option<AuditEntryId>,
    limit: u32,
) -> Vec<AuditEntry> {
    t.other.list_audit(run_id, before, limit).await.expect("entries can be listed")
}

/// Edits a run with this `step_no`.
async fn change(t: &StoreUnderTest, run_id: RunId, step_no: i64, reason: &str) {
    let edit = edit_of(run_id, step_no);
    let audit = NewAuditEntry { reason: reason.into(), ..edit.audit };
    let edited = t.store.edit_run(EditRun { audit, ..edit }).await;
    assert_eq!(edited.expect("runs can be changed"), EditOutcome::Edited);
}

async fn an_entry_is_kept_as_it_was_written(t: StoreUnderTest) {
    let run_id = t.start("a").await;
    let audit = NewAuditEntry {
        who: "ann".into(),
        action: "edit".into(),
        reason: "the amount was wrong".into(),
        details: Some("{\"amount\": [1, 2]}".into()),
    };
    let edit = EditRun { audit: audit.clone(), ..edit_of(run_id, 0) };
    assert_eq!(t.store.edit_run(edit).await.expect("it can be changed"), EditOutcome::Edited);
    let [entry] = &list(&t, Some(run_id), None, 10).await[..] else { panic!("there is one") };
    assert_eq!((entry.run_id, entry.at, &entry.entry), (Some(run_id), t.now(), &audit));
}

fn reasons(entries: &[AuditEntry]) -> Vec<&str> {
    entries.iter().map(|entry| entry.entry.reason.as_str()).collect()
}

async fn entries_are_listed_newest_first(t: StoreUnderTest) {
    let (a, b) = (t.start("a").await, t.start("b").await);
    change(&t, a, 0, "one").await;
    change(&t, b, 0, "two").await;
    change(&t, a, 1, "three").await;
    assert_eq!(reasons(&list(&t, None, None, 10).await), ["three", "two", "one"]);
    assert_eq!(reasons(&list(&t, Some(a), None, 10).await), ["three", "one"]);
    assert_eq!(list(&t, Some(RunId::new()), None, 10).await, []);
}

async fn entries_come_by_pages(t: StoreUnderTest) {
    let (a, b) = (t.start("a").await, t.start("b").await);
    for (step_no, reason) in (0..).zip(["one", "two", "three"]) {
        change(&t, a, step_no, reason).await;
        change(&t, b, step_no, "other").await;
    }
    let first = list(&t, Some(a), None, 2).await;
    assert_eq!(reasons(&first), ["three", "two"]);
    let rest = list(&t, Some(a), Some(first[1].id), 2).await;
    assert_eq!(reasons(&rest), ["one"]);
    assert_eq!(list(&t, Some(a), Some(rest[0].id), 2).await, []);
    assert_eq!(list(&t, None, Some(first[0].id), 10).await.len(), 4);
}

async fn a_page_ends_with_the_entries_that_fit(t: StoreUnderTest) {
    let run_id = t.start("a").await;
    let half = "é".repeat(MAX_ANSWER_BYTES / 4 + 1);
    for step_no in 0..3 {
        change(&t, run_id, step_no, &half).await;
    }
    let longer = "é".repeat(MAX_ANSWER_BYTES / 2 + 1);
    change(&t, run_id, 3, &longer).await;
    change(&t, run_id, 4, "short").await;
    let (mut lengths, mut before) = (Vec::new(), None);
    loop {
        let page = list(&t, Some(run_id), before, 10).await;
        let Some(last) = page.last() else { break };
        before = Some(last.id);
        lengths.push(page.len());
    }
    assert_eq!(lengths, [1, 1, 1, 1, 1]);
}

async fn a_change_that_was_not_made_has_no_entry(t: StoreUnderTest) {
    let run_id = t.start("a").await;
    let late = t.store.edit_run(edit_of(run_id, 5)).await.expect("it is answered");
    assert!(matches!(late, EditOutcome::Moved { .. }));
    let unknown = t.store.edit_run(edit_of(RunId::new(), 0)).await.expect("it is answered");
    assert_eq!(unknown, EditOutcome::Unknown);
    assert_eq!(list(&t, None, None, 10).await, []);
}
