//! `while let` over a vector that the body grows.

#[workflow]
async fn program(n: i64) -> i64 {
    let mut todo = vec![n, n + 1];
    let mut sum = 0;
    while let Some(next) = todo.pop() {
        let value = act(next).await;
        sum += value;
        if todo.len() < 3 && value % 2 == 0 && sum < 200 {
            todo.extend(list(value % 4).await);
        }
    }
    sum
}
