//! Results that are kept, compared and taken apart later.

#[workflow]
async fn program(n: i64) -> String {
    let mut outcomes = Vec::new();
    for i in n..n + 4 {
        outcomes.push(try_act(i).await);
    }
    let failed = outcomes.iter().filter(|outcome| outcome.is_err()).count();
    let first = outcomes.into_iter().find_map(Result::ok);
    let timed_out = try_act(13).await;
    tick().await;
    format!("{failed} {first:?} {}", matches!(timed_out, Err(ActivityError::TimedOut(_))))
}
