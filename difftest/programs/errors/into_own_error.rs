//! `?` through `From` implementations of the user's own error.

#[derive(Debug, Serialize, Deserialize)]
enum Failure {
    Refused(i64),
    Unreadable(String),
    Other(String),
}

impl From<ActivityError<Refused>> for Failure {
    fn from(error: ActivityError<Refused>) -> Self {
        match error {
            ActivityError::Failed(Refused { code }) => Self::Refused(note(code)),
            other => Self::Other(other.to_string()),
        }
    }
}

impl From<ActivityError<ParseFailed>> for Failure {
    fn from(error: ActivityError<ParseFailed>) -> Self {
        Self::Unreadable(error.to_string())
    }
}

#[workflow]
async fn program(n: i64) -> Result<i64, Failure> {
    let value = try_act(n + 1).await?;
    let text = fetch(&value.to_string()).await;
    let parsed = parse(if n == 0 { &text } else { "42" }).await?;
    Ok(parsed + try_act(n + 6).await?)
}
