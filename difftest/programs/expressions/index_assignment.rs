//! Assignment to an element whose index and value are awaited: the value comes first.

#[workflow]
async fn program(n: i64) -> Vec<i64> {
    let mut values = vec![0; 4];
    values[note(act(n).await as usize % 4)] = note(act(n + 1).await);
    values[1] = values[0] + act(9).await;
    values[(act(2).await % 4) as usize] += act(3).await;
    values
}
