//! A small state machine over signals, with its state in an enum.

#[derive(Debug, Serialize, Deserialize)]
enum Phase {
    Draft { edits: i64 },
    Review(String),
    Done,
}

#[workflow]
async fn program(cx: &Context, n: i64) -> Vec<String> {
    let mut phase = Phase::Draft { edits: n };
    let mut log = Vec::new();
    loop {
        phase = match phase {
            Phase::Draft { edits } if edits > 20 => Phase::Review(fetch("review").await),
            Phase::Draft { edits } => Phase::Draft { edits: edits + cx.signal::<Bump>().await.0 },
            Phase::Review(text) => {
                let Approve { by } = cx.signal().await;
                log.push(concat(&text, &by).await);
                Phase::Done
            }
            Phase::Done => break,
        };
        log.push(format!("{phase:?}"));
    }
    log
}
