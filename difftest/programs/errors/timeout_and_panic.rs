//! Failures of the engine arrive as values.

#[workflow]
async fn program(n: i64) -> Result<String, String> {
    let outcome = try_fetch("!x").await;
    let text = match outcome {
        Err(ActivityError::Panicked(text)) => text,
        other => return Err(format!("{other:?}")),
    };
    match try_act(n + 8).await {
        Err(error @ ActivityError::TimedOut(_)) => Err(format!("{error} {text}")),
        Err(error) => Ok(error.to_string()),
        Ok(value) => Ok(fetch(&format!("{text}{value}")).await),
    }
}
