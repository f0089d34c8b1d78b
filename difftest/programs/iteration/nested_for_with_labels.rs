//! Nested `for` over awaited lists with labels and an early return.

#[workflow]
async fn program(n: i64) -> (i64, i64) {
    let mut last = (0, 0);
    'outer: for a in list(n + 1).await {
        for b in list(a).await {
            last = (a, act(b).await);
            if last.1 % 4 == 0 {
                continue 'outer;
            }
            if last.1 > 60 {
                return last;
            }
        }
        tick().await;
    }
    last
}
