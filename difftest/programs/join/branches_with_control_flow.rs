//! Loops, `?` and early returns inside of branches stay inside.

#[workflow]
async fn program(n: i64) -> String {
    let (sum, outcome) = join!(
        async {
            let mut sum = 0;
            for i in 0..3 {
                if i == n {
                    continue;
                }
                sum += act(i).await;
            }
            sum
        },
        async {
            let a = try_act(n).await?;
            if a > 104 {
                return Ok(a);
            }
            let b = try_act(a).await?;
            Ok::<i64, ActivityError<Refused>>(a + b)
        },
    );
    format!("{sum} {outcome:?} {}", act(sum).await)
}
