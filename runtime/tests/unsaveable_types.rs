//! A type that cannot read its own output is found when a worker starts, not when a run cannot be read. A separate test
//! program, because none of its workers starts.

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

#[tokio::test]
async fn a_worker_refuses_to_start_and_names_variable_type_and_fix() {
    let client = Client::connect("sqlite::memory:").await.expect("a database in memory");
    let error = Worker::new(&client).start().await.expect_err("refused");
    let text = format!("{:#}", piton::Error::from(error));
    for part in ["keeps_a_note", "`note`", "Note", "`Serialize`", "`Deserialize`"] {
        assert!(text.contains(part), "`{part}` is missing in: {text}");
    }
}
