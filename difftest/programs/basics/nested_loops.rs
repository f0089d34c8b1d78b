//! Loops in loops, with accumulators.

#[workflow]
async fn program(cx: &Context, n: i64) -> Vec<(i64, i64)> {
    let mut out = vec![];
    for i in 0..n {
        let mut row = 0;
        for j in 0..=i {
            if (i + j) % 3 == 0 {
                row += act(j).await;
            } else {
                row += j;
            }
        }
        out.push((i, row));
    }
    out
}
