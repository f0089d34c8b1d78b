//! `ref mut` and `if let` on a place, changed before the next await.

#[workflow]
async fn program(n: i64) -> (i64, Option<String>) {
    let mut pair = pair(n).await;
    let (ref mut number, _) = pair;
    *number += 10;
    let mut found = find(n).await;
    if let Some(text) = &mut found {
        text.push('!');
    }
    if let Some(ref mut text) = found {
        text.push('?');
    }
    (act(pair.0).await, found)
}
