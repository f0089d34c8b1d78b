//! Labeled `break` and `continue` across awaits.

#[workflow]
async fn program(cx: &Context, n: i64) -> (i64, i64) {
    let mut count = 0;
    let value = 'outer: loop {
        count += 1;
        'inner: for i in 0..5 {
            if i == 1 {
                continue 'inner;
            }
            if act(i).await > 9 && count < n {
                continue 'outer;
            }
            if count == n {
                break 'outer i * 100 + act(count).await;
            }
            for j in 0..3 {
                if j == 1 {
                    continue 'inner;
                }
                note(j);
            }
        }
        if count > 10 {
            break -1;
        }
    };
    let block = 'block: {
        if value > 100 {
            break 'block act(1).await;
        }
        act(2).await;
        if value < 0 {
            break 'block 5;
        }
        7
    };
    (value, block)
}
