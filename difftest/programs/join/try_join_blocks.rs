//! `try_join!` over `async` blocks, the loser in the middle of its work.

#[workflow]
async fn program(n: i64) -> String {
    let outcome = try_join!(
        async {
            let a = try_act(n).await?;
            let b = try_act(a + 1).await?;
            Ok::<_, ActivityError<Refused>>(a + b)
        },
        async {
            let mut all = Vec::new();
            for i in 0..3 {
                all.push(try_act(n + i * 3 + 1).await?);
            }
            Ok(all)
        },
    );
    match outcome {
        Ok((a, all)) => format!("{a} {}", total(&all).await),
        Err(error) => concat("failed", &error.to_string()).await,
    }
}
