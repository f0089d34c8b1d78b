//! Hidden borrows of strings.

#[workflow]
async fn program(n: i64) -> String {
    let mut text = String::from("start");
    text.push_str(&fetch("a").await);
    text.push(letter(n).await);
    text.insert_str(0, &act(text.len() as i64).await.to_string());
    text.truncate(act(9).await as usize % 20);
    text
}
