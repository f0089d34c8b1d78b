//! A counter that crosses awaits, with `continue` before the increment's end.

#[workflow]
async fn program(n: i64) -> i64 {
    let mut i = 0;
    let mut sum = 0;
    while i < 5 {
        i += 1;
        if i == n % 5 {
            continue;
        }
        sum += act(i).await;
        if sum > 25 {
            break;
        }
    }
    sum * 10 + i
}
