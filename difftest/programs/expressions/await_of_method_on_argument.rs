//! The argument borrows a local only until the call is made.

#[workflow]
async fn program(n: i64) -> Vec<String> {
    let mut text = String::from("abc");
    let fetched = fetch(&text[..2]).await;
    text.push('d');
    let again = fetch(text.as_str().trim_start_matches('a')).await;
    text.push_str(&again);
    words(&format!("{text} {fetched} {n}")).await
}
