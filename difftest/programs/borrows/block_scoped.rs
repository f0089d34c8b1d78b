//! Borrows in blocks that end before the await, mutable ones too.

#[workflow]
async fn program(n: i64) -> (Vec<i64>, i64) {
    let mut values = list(n + 1).await;
    let largest = {
        let view = &values;
        view.iter().max().copied().unwrap_or(0)
    };
    {
        let first = &mut values;
        first.push(largest);
        first.sort_unstable();
    }
    let sum = total(&values).await;
    values.iter_mut().for_each(|x| *x += sum);
    (values, act(sum).await)
}
