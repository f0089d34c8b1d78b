//! `for` over a clone, while the original changes.

#[workflow]
async fn program(n: i64) -> Vec<i64> {
    let mut values = list(n).await;
    for value in values.clone() {
        let next = act(value).await;
        if next % 2 == 0 {
            values.push(next);
        } else {
            values.retain(|kept| *kept != value);
        }
    }
    values
}
