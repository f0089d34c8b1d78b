//! Signals that are set aside by hand.

use piton::error::EditError;
use piton::model::RunStatus;
use piton::prelude::*;
use piton::store::{ArrivalKind, DeadLetterFilter, Messages as _, NewArrival};

use crate::activities::Approve;
use crate::rig::Rig;

#[workflow]
async fn picky(cx: &Context) -> String {
    let approve = cx.signal::<Approve>().await;
    assert!(approve.by != "mallory", "nobody expects this");
    approve.by
}

#[tokio::test(start_paused = true)]
async fn a_run_that_a_signal_has_blocked_continues_without_it() {
    let rig = Rig::new();
    let worker = rig.worker().start().await.unwrap();
    let run = rig.client.start(picky()).await.unwrap();
    run.signal(Approve { by: "mallory".into() }).await.unwrap();
    rig.until_blocked(&run).await;
    let shown = rig.client.inspect(run.run_id()).await.unwrap();
    let [unread] = &shown.unread[..] else { panic!("{:?}", shown.unread) };
    let error = run.set_aside(unread.seq + 1).await.unwrap_err();
    assert!(matches!(error, EditError::NoSignal { seq: 2, .. }), "{error}");
    assert!(run.set_aside(unread.seq).by("ann").because("a bad name").await.unwrap());
    rig.until_parked(&run).await;
    let filter = DeadLetterFilter { run_id: Some(run.run_id()), workflow_id: None };
    let letters = rig.client.dead_letters(&filter, 10).await.unwrap();
    assert_eq!(letters.len(), 1);
    assert!(letters[0].reason.to_string().contains("a bad name"), "{}", letters[0].reason);
    let audit = rig.client.audit(run.run_id(), 10).await.unwrap();
    assert_eq!(&*audit[0].entry.action, "set_aside");
    run.signal(Approve { by: "bob".into() }).await.unwrap();
    assert_eq!(run.result().await.unwrap(), "bob");
    let error = run.set_aside(1).await.unwrap_err();
    assert!(matches!(error, EditError::Closed { status: RunStatus::Completed, .. }), "{error}");
    worker.shutdown().await.unwrap();
}

#[tokio::test(start_paused = true)]
async fn an_arrival_that_cannot_be_read_blocks_its_run_alone() {
    let rig = Rig::new();
    let worker = rig.worker().start().await.unwrap();
    let run = rig.client.start(picky()).await.unwrap();
    let other = rig.client.start(picky()).await.unwrap();
    rig.until_parked(&run).await;
    let kind = ArrivalKind::Unreadable { stored: vec![1, 255], reason: "a new kind".to_owned() };
    let arrival = NewArrival { run_id: run.run_id(), kind, dedup_key: None, owner: None };
    rig.store.deliver(vec![arrival]).await.unwrap();
    for run in [&run, &other] {
        run.signal(Approve { by: "bob".into() }).await.unwrap();
    }
    assert_eq!(other.result().await.unwrap(), "bob");
    let blocked = rig.until_blocked(&run).await.blocked.unwrap().to_string();
    assert!(blocked.contains("arrival 1 of its inbox cannot be read: a new kind"), "{blocked}");

    // Another attempt meets it again.
    run.retry().by("ann").because("perhaps it is over").await.unwrap();
    rig.until_blocked(&run).await;
    assert!(run.set_aside(1).by("ann").because("it is damaged").await.unwrap());
    assert_eq!(run.result().await.unwrap(), "bob");
    worker.shutdown().await.unwrap();
}
