//! Names that generated code might use for itself.

#[workflow]
async fn program(n: i64) -> i64 {
    let state = act(n).await;
    let arms = fetch("arms").await;
    let block = 3;
    let step = Some(state);
    let saved = list(2).await;
    tick().await;
    let frame = state + block + saved.len() as i64;
    let poll = step.unwrap_or(0);
    let outcome = act(frame + poll).await;
    outcome + arms.len() as i64
}
