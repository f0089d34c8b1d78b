//! A match on a result, with nested patterns for its error.

#[workflow]
async fn program(n: i64) -> String {
    match try_act(n).await {
        Ok(value @ 100..=101) => format!("low {value}"),
        Ok(value) => fetch(&value.to_string()).await,
        Err(ActivityError::Failed(Refused { code })) => concat("refused", &code.to_string()).await,
        Err(other) => other.to_string(),
    }
}
