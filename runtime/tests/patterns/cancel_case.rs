//! Pattern 20, *Cancel Case*: a case is withdrawn with all that belongs to it.

use piton::error::RunError;
use piton::prelude::*;

use crate::desk::{Desk, case, task};

#[workflow]
async fn mortgage(cx: &Context) {
    let survey = cx.start_child(case("survey".to_owned(), 1_000)).id("survey");
    join!(task("search", 500), task("value", 800));
    let _ = survey.await;
    task("sign", 1).await;
}

#[tokio::test(start_paused = true)]
async fn nothing_of_the_case_goes_on() {
    let desk = Desk::open().await;
    let run = desk.client.start(mortgage()).await.unwrap();
    desk.wait(5).await;
    run.cancel("the house is sold").await.unwrap();
    let error = run.result().await.unwrap_err();
    assert!(matches!(&error, RunError::Cancelled { reason } if reason == "the house is sold"));
    desk.wait(2_000).await;
    assert_eq!(desk.begun_in_any_order(), ["search", "survey", "value"]);
    assert_eq!(desk.done(), []);
    let survey = desk.client.find("survey").await.unwrap().unwrap();
    assert_eq!(survey.status, RunStatus::Terminated);
    desk.close().await;
}
