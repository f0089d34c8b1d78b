//! Types that only later code determines.

crate::harness::program! {
    async fn types_from_use(cx: &Context, n: i64) -> (Vec<String>, Option<i64>, u8) {
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
        step(1).await;
        (sorted, best, count)
    }
    (0) (3)
}
