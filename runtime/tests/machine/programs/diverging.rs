//! Branches that do not come back.

fn panic_free() -> i64 {
    8
}

crate::harness::program! {
    async fn diverging(cx: &Context, n: i64) -> i64 {
        let x = match n {
            0 => return step(0).await,
            1 => panic_free(),
            2 => {
                step(2).await;
                loop {
                    if step(3).await > 1 {
                        break 4;
                    }
                }
            }
            other => other,
        };
        let y = if n > 5 { return 1 } else { step(x).await };
        y
    }
    (0) (1) (2) (3) (6)
}
