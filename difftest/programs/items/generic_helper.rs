//! Generic helpers whose instances inference must find.

fn first_or<T: Clone>(items: &[T], other: T) -> T {
    items.first().cloned().unwrap_or(other)
}

#[workflow]
async fn program(n: i64) -> String {
    let number = first_or(&list(n).await, act(1).await);
    let text = first_or(&words("one two").await, String::new());
    let none = first_or(&[], number);
    tick().await;
    format!("{number}{text}{none}")
}
