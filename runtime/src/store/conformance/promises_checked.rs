//! Completions that the store refuses until the client has checked them.

use super::fixture::{StoreUnderTest, close};
use super::promises::{NAME, TYPES, awaits, complete_through, completion, of_run, value};
use crate::codec;
use crate::model::{Payload, PromiseOutcome, PromiseToken, SchemaHash};
use crate::store::{CompletePromise, CompletionOutcome};

super::list_cases!("promises_checked":
    a_value_of_another_schema_is_checked_first,
    a_token_of_another_workflow_is_checked_first,
);

async fn a_value_of_another_schema_is_checked_first(t: StoreUnderTest) {
    let worker = t.worker().await;
    let typed = |hash: SchemaHash| {
        let mut bytes = codec::to_payload(&7_u8).expect("it is a number").0;
        // Behind the byte of the encoding.
        bytes[1..9].copy_from_slice(&hash.0.to_le_bytes());
        let payload = Payload(bytes);
        assert_eq!(codec::schema_of(&payload), Some(hash));
        payload
    };
    let (resolved, rejected) = (TYPES.resolved, TYPES.rejected);
    let other = SchemaHash(77);
    type Wrap = fn(Payload) -> PromiseOutcome;
    let cases: [(Wrap, SchemaHash); 2] =
        [(PromiseOutcome::Resolved, resolved), (PromiseOutcome::Rejected, rejected)];
    for (number, (wrap, expected)) in cases.into_iter().enumerate() {
        let run_id = t.start_owned(&format!("run-{number}"), worker).await;
        let token = of_run(run_id);
        t.tell(worker, run_id, 0, vec![awaits(&token, 0)]).await;
        let wrong = completion(&token, wrap(typed(other)));
        let refused = complete_through(&t.store, wrong.clone()).await;
        assert_eq!(refused, CompletionOutcome::OtherType(expected));
        let found = CompletePromise { fits: Some(other), ..wrong.clone() };
        let refused = complete_through(&t.store, found).await;
        assert_eq!(refused, CompletionOutcome::OtherType(expected), "it is to fit another one");
        assert_eq!(t.promise(&token).await.expect("it is awaited").outcome, None);
        assert_eq!(t.outcomes(run_id).await, []);
        let found = CompletePromise { fits: Some(expected), ..wrong.clone() };
        let completed = complete_through(&t.store, found).await;
        assert_eq!(completed, CompletionOutcome::Completed);
        assert_eq!(t.outcomes(run_id).await, [(0, wrong.outcome.clone())]);
        let again = complete_through(&t.store, wrong).await;
        assert_eq!(again, CompletionOutcome::Completed, "it is a repetition");

        // With the schema, and of a promise that nobody awaits, nothing is to be checked.
        let same = t.start_owned(&format!("same-{number}"), worker).await;
        t.tell(worker, same, 0, vec![awaits(&of_run(same), 0)]).await;
        let completed = t.complete(&of_run(same), wrap(typed(expected))).await;
        assert_eq!(completed, CompletionOutcome::Completed);
        let early = t.start_owned(&format!("early-{number}"), worker).await;
        let completed = t.complete(&of_run(early), wrap(typed(other))).await;
        assert_eq!(completed, CompletionOutcome::Completed);
    }
}

async fn a_token_of_another_workflow_is_checked_first(t: StoreUnderTest) {
    let worker = t.worker().await;
    let ahead = PromiseToken::of_workflow_id("bill", "run-1", "early");
    assert_eq!(
        t.complete(&ahead, value("a")).await,
        CompletionOutcome::Completed,
        "no run is there"
    );
    let run_id = t.start_owned("run-1", worker).await;
    let refused = CompletionOutcome::OtherWorkflow(run_id, "order".to_owned());
    for token in [
        PromiseToken::of_run("bill", run_id, NAME),
        PromiseToken::of_workflow_id("bill", "run-1", NAME),
        PromiseToken::of_run("", run_id, NAME),
    ] {
        assert_eq!(t.complete(&token, value("a")).await, refused);
        let found =
            CompletePromise { means: Some("letter".to_owned()), ..completion(&token, value("a")) };
        assert_eq!(complete_through(&t.store, found).await, refused, "it means a third workflow");
    }
    assert_eq!(t.promise(&of_run(run_id)).await, None);
    let other = PromiseToken::of_run("bill", run_id, NAME);
    let found =
        CompletePromise { means: Some("order".to_owned()), ..completion(&other, value("b")) };
    for _ in 0..2 {
        let completed = complete_through(&t.store, found.clone()).await;
        assert_eq!(completed, CompletionOutcome::Completed);
    }
    let known = t.complete(&of_run(run_id), value("c")).await;
    assert_eq!(known, CompletionOutcome::Already(value("b")));
    assert_eq!(t.complete(&other, value("c")).await, refused, "also if it has an outcome");
    t.commit(worker, close(run_id, 0)).await;
    assert_eq!(t.complete(&other, value("c")).await, refused, "also if the run is closed");
}
