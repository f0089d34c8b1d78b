//! `join_all` over a list, in the order of the list.

#[workflow]
async fn program(n: i64) -> i64 {
    let values = join_all((0..n.min(4)).map(act)).await;
    let texts = join_all(values.iter().map(|x| fetch(&x.to_string()))).await;
    let none = join_all(Vec::new().into_iter().map(act)).await;
    note((&texts, none.len()));
    total(&values).await
}
