//! Awaits inside of `vec!` in both forms.

#[workflow]
async fn program(n: i64) -> Vec<String> {
    let mut all = vec![fetch("a").await, note("b").to_owned(), fetch("c").await];
    all.extend(vec![fetch("d").await; (act(n).await % 3) as usize]);
    all
}
