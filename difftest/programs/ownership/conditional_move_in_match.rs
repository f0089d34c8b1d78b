//! A value moved in some arms only, and not used after the match.

#[workflow]
async fn program(n: i64) -> i64 {
    let text = fetch("abcd").await;
    let other = fetch("xy").await;
    let size = match n % 3 {
        0 => text.into_bytes().len(),
        1 => {
            tick().await;
            (text + &other).len()
        }
        _ => other.len(),
    };
    act(size as i64).await
}
