//! A branch that changes a captured local, which is read after the join.

#[workflow]
async fn program(n: i64) -> (Vec<i64>, i64) {
    let mut seen = list(n).await;
    let (_, x) = join!(
        async {
            for i in 0..2 {
                let x = act(i).await;
                seen.push(note(x));
            }
        },
        async { act(n).await + act(n + 1).await },
    );
    seen.push(x);
    tick().await;
    (seen, x)
}
