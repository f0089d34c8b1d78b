//! A part that is moved out, and filled again on some ways, of a value that is never used as a whole.

#[workflow]
async fn program(n: i64) -> i64 {
    let mut pair = (fetch("left").await, fetch("right").await);
    if n > 0 {
        let right = pair.1;
        note(&right);
    }
    if flag(n).await {
        tick().await;
        if n < 4 {
            pair.1 = pair.0;
            note(&pair.1);
            return 1;
        }
        let Some(word) = find(n).await else {
            pair.1 = "refilled".to_owned();
            note(pair.1);
            return 2;
        };
        note(word);
    }
    note(pair.0);
    n
}
