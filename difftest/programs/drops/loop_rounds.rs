//! What a round declares is dropped at its end, by `continue` and `break` too.

#[workflow]
async fn program(n: i64) -> i64 {
    let _outer = Noisy::new("outer");
    let mut sum = 0;
    for i in 0..3 {
        let _round = Noisy::new(format!("round {i}"));
        sum += act(i + n).await;
        if sum % 2 == 0 {
            continue;
        }
        let _late = Noisy::new(format!("late {i}"));
        tick().await;
        if sum > 20 {
            break;
        }
    }
    note("after");
    sum
}
