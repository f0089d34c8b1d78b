//! Branches that do not come back.

fn panic_free() -> i64 {
    8
}

#[workflow]
async fn program(cx: &Context, n: i64) -> i64 {
    let x = match n {
        0 => return act(0).await,
        1 => panic_free(),
        2 => {
            act(2).await;
            loop {
                if act(3).await > 1 {
                    break 4;
                }
            }
        }
        other => other,
    };
    let y = if n > 5 { return 1 } else { act(x).await };
    y
}
