//! Renamed workflows, and several versions of a workflow.

use piton::client::DefinitionInUse;
use piton::error::WorkerError;
use piton::machine::Workflow as _;
use piton::prelude::*;

use crate::build::{Go, Shop};

mod old {
    use super::*;

    #[workflow]
    pub async fn ship(cx: &Context, order: u64) -> u64 {
        let go = cx.signal::<Go>().await;
        order + go.0
    }

    #[workflow]
    pub async fn shop(cx: &Context, order: u64) -> u64 {
        ship(order).await
    }
}

mod new {
    use super::*;

    #[workflow(formerly = "ship")]
    pub async fn deliver(cx: &Context, order: u64) -> u64 {
        let go = cx.signal::<Go>().await;
        order + go.0 + 1_000
    }

    #[workflow]
    pub async fn shop(cx: &Context, order: u64) -> u64 {
        #[state("ship")]
        deliver(order).await
    }
}

mod other {
    use super::*;

    #[workflow]
    pub async fn ship(cx: &Context) {
        cx.signal::<Go>().await;
    }

    #[workflow(formerly = "ship")]
    pub async fn send(cx: &Context) {
        cx.signal::<Go>().await;
    }
}

mod bills {
    use super::*;

    #[workflow]
    pub async fn bill(cx: &Context, month: u64) -> u64 {
        month + cx.signal::<Go>().await.0
    }

    pub mod second {
        use super::*;

        #[workflow(version = 2, formerly = "invoice")]
        pub async fn bill(cx: &Context, month: u64) -> u64 {
            month + cx.signal::<Go>().await.0 + 2_000
        }
    }

    pub mod changed {
        use super::*;

        /// The first version after an edit.
        #[workflow]
        pub async fn bill(cx: &Context, month: u32) -> u64 {
            let go = cx.signal::<Go>().await.0;
            u64::from(month) + go
        }
    }
}

#[tokio::test(start_paused = true)]
async fn runs_of_a_former_name_go_on() {
    let shop = Shop::new();
    let run = shop.client.start(old::ship(7)).id("one").await.unwrap();
    shop.park(&run, &[old::ship::entry()], "signal<Go>").await;
    let worker = shop.worker(&[new::deliver::entry()]).await;
    let run = shop.client.run::<new::deliver>("one").await.expect("it is a run of it");
    run.signal(Go(30)).await.unwrap();
    assert_eq!(run.result().await.unwrap(), 1_037);
    worker.shutdown().await.unwrap();
}

#[tokio::test(start_paused = true)]
async fn a_run_that_has_not_begun_continues_under_the_new_name() {
    let shop = Shop::new();
    let run = shop.client.start(old::ship(7)).await.unwrap();
    let worker = shop.worker(&[new::deliver::entry()]).await;
    run.signal(Go(30)).await.unwrap();
    assert_eq!(run.result().await.unwrap(), 1_037);
    worker.shutdown().await.unwrap();
}

#[tokio::test(start_paused = true)]
async fn an_inline_workflow_may_be_renamed() {
    let shop = Shop::new();
    let run = shop.client.start(old::shop(7)).await.unwrap();
    shop.park(&run, &[old::shop::entry(), old::ship::entry()], "ship").await;
    let worker = shop.worker(&[new::shop::entry(), new::deliver::entry()]).await;
    run.signal(Go(30)).await.unwrap();
    assert_eq!(run.result().await.unwrap(), 1_037);
    worker.shutdown().await.unwrap();
}

#[tokio::test(start_paused = true)]
async fn a_name_belongs_to_one_workflow() {
    let shop = Shop::new();
    for workflows in [
        vec![other::ship::entry(), other::send::entry()],
        vec![other::send::entry(), new::deliver::entry()],
    ] {
        let worker = Worker::new(&shop.client).serving(workflows, vec![]);
        let error = worker.start().await.expect_err("both have the name");
        let WorkerError::Registry(error) = error else { panic!("another error: {error}") };
        assert!(error.to_string().contains("named `ship`"), "{error}");
        assert!(error.to_string().contains("versions.rs:"), "{error}");
    }
}

#[tokio::test(start_paused = true)]
async fn a_run_continues_in_its_own_version() {
    let shop = Shop::new();
    let both = [bills::bill::entry(), bills::second::bill::entry()];
    let first = shop.client.start(bills::bill(1)).await.unwrap();
    let second = shop.client.start(bills::second::bill(1)).await.unwrap();
    shop.park(&first, &both, "signal<Go>").await;
    shop.park(&second, &both, "signal<Go>").await;
    // Another build than the one that wrote the first run: the database has the version.
    let both = [bills::second::bill::entry(), bills::changed::bill::entry()];
    let worker = shop.worker(&both).await;
    first.signal(Go(10)).await.unwrap();
    second.signal(Go(10)).await.unwrap();
    shop.until_closed(&first).await;
    assert_eq!(first.result().await.unwrap(), 11);
    assert_eq!(second.result().await.unwrap(), 2_011);
    worker.shutdown().await.unwrap();
}

#[tokio::test(start_paused = true)]
async fn no_run_changes_its_version() {
    let shop = Shop::new();
    let run = shop.client.start(bills::bill(1)).await.unwrap();
    shop.park(&run, &[bills::bill::entry()], "signal<Go>").await;
    let worker = shop.worker(&[bills::second::bill::entry()]).await;
    run.signal(Go(10)).await.unwrap();
    let reason = shop.until_blocked(&run).await;
    assert!(reason.contains("version 1"), "{reason}");
    assert!(reason.contains("keep the function of that version"), "{reason}");
    worker.shutdown().await.unwrap();
    let worker = shop.worker(&[bills::second::bill::entry(), bills::bill::entry()]).await;
    assert_eq!(run.result().await.unwrap(), 11);
    worker.shutdown().await.unwrap();
}

#[tokio::test(start_paused = true)]
async fn runs_are_counted_by_definition() {
    let shop = Shop::new();
    let both = [bills::bill::entry(), bills::second::bill::entry()];
    for _ in 0..2 {
        let run = shop.client.start(bills::bill(1)).await.unwrap();
        shop.park(&run, &both, "signal<Go>").await;
    }
    let run = shop.client.start(bills::second::bill(1)).await.unwrap();
    shop.park(&run, &both, "signal<Go>").await;
    let mut in_use = shop.client.definitions_in_use("bill").await.unwrap();
    in_use.sort_by_key(|used| used.version);
    let told = |used: &DefinitionInUse| {
        (used.version, used.state.clone(), used.runs, used.is_current, used.definition)
    };
    let told: Vec<_> = in_use.iter().map(told).collect();
    let hash = |entry: &piton::machine::WorkflowEntry| Some(entry.definition().hash);
    let state = || "signal<Go>".to_owned();
    assert_eq!(
        told,
        [(Some(1), state(), 2, true, hash(both[0])), (Some(2), state(), 1, true, hash(both[1]))]
    );
    run.signal(Go(0)).await.unwrap();
    let worker = shop.worker(&both).await;
    run.result().await.unwrap();
    worker.shutdown().await.unwrap();
    let in_use = shop.client.definitions_in_use("bill").await.unwrap();
    assert!(in_use.iter().all(|used| used.version == Some(1)), "{in_use:?}");
}
