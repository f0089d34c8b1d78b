//! `for` over an `Option`.

#[workflow]
async fn program(n: i64) -> usize {
    let mut length = 0;
    for text in find(n).await {
        length += fetch(&text).await.len();
    }
    for x in Some(n) {
        length += act(x).await as usize;
    }
    length
}
