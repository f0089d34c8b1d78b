//! `?` on inline calls, with errors of their own.

#[derive(Debug, PartialEq, Serialize, Deserialize)]
struct Failed(String);

impl From<ActivityError<Refused>> for Failed {
    fn from(error: ActivityError<Refused>) -> Self {
        Self(error.to_string())
    }
}

#[workflow]
async fn checked(n: i64) -> Result<i64, ActivityError<Refused>> {
    let a = try_act(n).await?;
    try_act(a + 1).await
}

#[workflow]
async fn program(n: i64) -> Result<String, Failed> {
    let a = checked(n).await?;
    let Ok(b) = checked(a).await else {
        return Err(Failed(fetch("else").await));
    };
    Ok(format!("{a} {b} {:?}", checked(n + 1).await))
}
