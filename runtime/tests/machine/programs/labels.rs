//! Labeled `break` and `continue` across awaits.

crate::harness::program! {
    async fn labels(cx: &Context, n: i64) -> (i64, i64) {
        let mut count = 0;
        let value = 'outer: loop {
            count += 1;
            'inner: for i in 0..5 {
                if i == 1 {
                    continue 'inner;
                }
                if step(i).await > 20 && count < n {
                    continue 'outer;
                }
                if count == n {
                    break 'outer i * 100 + step(count).await;
                }
                for j in 0..3 {
                    if j == 1 {
                        continue 'inner;
                    }
                    trace(j);
                }
            }
            if count > 10 {
                break -1;
            }
        };
        let block = 'block: {
            if value > 100 {
                break 'block step(1).await;
            }
            step(2).await;
            if value < 0 {
                break 'block 5;
            }
            7
        };
        (value, block)
    }
    (1) (3)
}
