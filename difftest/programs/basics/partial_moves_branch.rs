//! Fields moved out on one way only, with a join after it.

#[workflow]
async fn program(cx: &Context, n: i64) -> String {
    let pair = (text(n).await, text(n + 1).await);
    let first = if n > 1 {
        let moved = pair.0;
        act(1).await;
        moved
    } else {
        act(2).await;
        "none".to_owned()
    };
    let mut count = 0;
    while count < n {
        count += 1;
        act(pair.1.len() as i64).await;
    }
    first + &pair.1
}
