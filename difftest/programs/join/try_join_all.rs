//! A list up to its first error.

#[workflow]
async fn slowly(n: i64) -> Result<i64, ActivityError<Refused>> {
    tick().await;
    let value = try_act(n).await?;
    tick().await;
    Ok(value)
}

#[workflow]
async fn program(n: i64) -> Result<i64, ActivityError<Refused>> {
    let calls = (0..n.clamp(1, 4)).map(try_act);
    let values = try_join_all(calls).await?;
    note(&values);
    match try_join_all((n..n + 3).map(slowly)).await {
        Ok(values) => note(values.len()),
        Err(error) => note(error.to_string().len()),
    };
    total(&values).await.pipe_ok()
}

trait PipeOk: Sized {
    fn pipe_ok<E>(self) -> Result<Self, E> {
        Ok(self)
    }
}

impl PipeOk for i64 {}
