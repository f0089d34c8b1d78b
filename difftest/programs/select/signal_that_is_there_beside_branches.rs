//! A wait for a signal that has come already lets the other branches go on before it goes on itself.

#[workflow]
async fn program(cx: &Context, n: i64) -> i64 {
    let (sum, _) = join!(
        async {
            let mut sum = 0;
            for round in 0..2 {
                select! {
                    Approve { by } = cx.signal() => { note((round, by)); }
                    Bump(by) = cx.signal() => { sum += by; }
                }
            }
            sum + act(n).await
        },
        async {
            act(n + 1).await;
            note(act(n + 2).await);
        }
    );
    sum
}
