//! Pattern 15, *Multiple Instances without a Priori Run-Time Knowledge*: further instances are begun while others run, and
//! what follows waits for all of them.

use piton::prelude::*;
use serde::{Deserialize, Serialize};

use crate::desk::{Desk, case, entry, task};

#[derive(Signal, Serialize, Deserialize)]
struct Witness(String);

#[derive(Signal, Serialize, Deserialize)]
struct NoMore;

#[workflow]
async fn accident(cx: &Context) -> usize {
    let mut statements = Vec::new();
    loop {
        select! {
            witness = cx.signal::<Witness>() => statements.push(cx.start_child(case(witness.0, 5))),
            _ = cx.signal::<NoMore>() => break,
        }
    }
    let mut count = 0;
    for statement in statements {
        count += usize::from(statement.await.is_ok());
    }
    task("report", 1).await;
    count
}

#[tokio::test(start_paused = true)]
async fn instances_are_added_while_others_run() {
    let desk = Desk::open().await;
    let run = desk.client.start(accident()).await.unwrap();
    for name in ["Ann", "Ben", "Cem"] {
        run.signal(Witness(name.to_owned())).await.unwrap();
        desk.wait(2).await;
    }
    run.signal(NoMore).await.unwrap();
    assert_eq!(run.result().await.unwrap(), 3);
    let statements = [entry("Ann", 0, 5), entry("Ben", 2, 7), entry("Cem", 4, 9)];
    assert_eq!(desk.done()[..3], statements);
    assert_eq!(desk.done()[3..], [entry("report", 9, 10)]);
    desk.close().await;
}
