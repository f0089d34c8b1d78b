//! `?` of several error types in blocks, and a failure that ends the others at once.

#[workflow]
async fn program(n: i64) -> String {
    let mut log = Vec::new();
    let outcome = try_join!(
        async {
            let a = try_act(n).await?;
            log.push(note(a));
            let b = try_act(a + n).await.map_err(|error| { note(1); error })?;
            Ok::<(i64, i64), ActivityError<Refused>>((a, b))
        },
        try_act(n + 2),
        async {
            let value = if flag(n).await { Some(act(n).await) } else { None };
            let last = async_option(value).await;
            match last {
                Some(value) => Ok(value),
                None => try_act(note(7)).await,
            }
        },
    );
    let text = match outcome {
        Ok((pair, one, last)) => format!("{pair:?} {one} {last}"),
        Err(error) => concat("failed", &error.to_string()).await,
    };
    format!("{text} {log:?}")
}

#[workflow]
async fn async_option(value: Option<i64>) -> Option<i64> {
    let value = value?;
    Some(act(value).await)
}
