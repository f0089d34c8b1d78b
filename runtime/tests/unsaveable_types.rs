//! A type that cannot read its own output is found when a worker starts, not when a run cannot be read. A separate test
//! program, because none of its workers starts.

use piton::activities::ActivityEntry;
use piton::machine::{Workflow, WorkflowEntry};
use piton::prelude::*;
use serde::{Deserialize, Serialize};

/// Writes its text under one name and reads it under another.
#[derive(Serialize, Deserialize)]
struct Note {
    #[serde(
        rename(serialize = "text", deserialize = "note"),
        skip_serializing_if = "Option::is_none",
        default
    )]
    text: Option<String>,
}

#[workflow]
async fn keeps_a_note(cx: &Context, text: String) -> usize {
    let note = Note { text: Some(text) };
    cx.sleep(seconds(1)).await;
    note.text.map_or(0, |text| text.len())
}

/// A message with a note.
#[derive(Signal, Serialize, Deserialize)]
struct Noted(Note);

#[workflow]
async fn waits_for_a_note(cx: &Context) -> usize {
    cx.signal::<Noted>().await.0.text.map_or(0, |text| text.len())
}

#[activity]
async fn reads(note: Note) -> usize {
    note.text.map_or(0, |text| text.len())
}

#[workflow]
async fn has_a_note_read() -> usize {
    reads(Note { text: None }).await
}

/// Checks that a worker of these does not start, for a reason with these parts.
async fn is_refused(
    workflows: Vec<&'static WorkflowEntry>,
    activities: Vec<&'static ActivityEntry>,
    parts: &[&str],
) {
    let client = Client::connect("sqlite::memory:").await.expect("a database in memory");
    let worker = Worker::new(&client).serving(workflows, activities);
    has_parts(worker.start().await.expect_err("refused"), parts);
}

/// Checks that an error has these parts, and names the type and what it lacks.
fn has_parts(error: impl Into<piton::Error>, parts: &[&str]) {
    let text = format!("{:#}", error.into());
    for part in parts.iter().chain(&["Note", "`Serialize`", "`Deserialize`"]) {
        assert!(text.contains(part), "`{part}` is missing in: {text}");
    }
}

#[tokio::test]
async fn a_worker_refuses_to_start_and_names_variable_type_and_fix() {
    is_refused(vec![keeps_a_note::entry()], vec![], &["keeps_a_note", "`note`"]).await;
}

#[tokio::test]
async fn a_worker_refuses_signals_and_activities_whose_values_it_could_not_read() {
    let signal = ["waits_for_a_note", "the signal `Noted`"];
    is_refused(vec![waits_for_a_note::entry()], vec![], &signal).await;
    let argument = "argument 1 of the activity `reads`";
    is_refused(vec![has_a_note_read::entry()], vec![], &["has_a_note_read", argument]).await;
    let entry = ActivityEntry::find("reads").expect("it is linked");
    is_refused(vec![], vec![entry], &[argument]).await;
}

#[workflow]
async fn takes_a_note(note: Note) -> usize {
    note.text.map_or(0, |text| text.len())
}

/// A client may be alone in its process, so no worker has looked at the types.
#[tokio::test]
async fn a_client_refuses_values_that_nobody_could_read() {
    let client = Client::connect("sqlite::memory:").await.expect("a database in memory");
    let note = || Note { text: Some("pay".to_owned()) };
    let error = client.start(takes_a_note(note())).await.expect_err("refused");
    has_parts(error, &[]);
    let run = client.start(waits_for_a_note()).await.expect("it has no arguments");
    let error = run.signal(Noted(note())).await.expect_err("refused");
    has_parts(error, &[]);
    let started = client.count(piton::filter::workflow().equals("takes_a_note")).await;
    assert_eq!(started.expect("a count"), 0);
    let inspection = client.inspect(run.run_id()).await.expect("it is there");
    assert!(inspection.unread.is_empty(), "{inspection:?}");
}
