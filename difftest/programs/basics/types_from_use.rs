//! Types that only later code determines.

#[workflow]
async fn program(cx: &Context, n: i64) -> (Vec<String>, Option<i64>, u8) {
    let mut names = Vec::new();
    let mut best = None;
    let mut count = Default::default();
    for i in 0..n {
        if flag(i).await {
            best = Some(i);
        }
        names.push(text(i).await);
        count += 1u8;
    }
    let sorted = {
        names.sort();
        names
    };
    act(1).await;
    (sorted, best, count)
}
