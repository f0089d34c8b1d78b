//! A variable is given another text by an operand that awaits, behind one that borrows the text before.

#[workflow]
async fn program(n: i64) -> String {
    let mut text = "abc";
    let a = concat(text, &{ text = "other"; fetch(text).await }).await;
    let b = concat(&*text, &{ text = if n > 2 { "yes" } else { "no" }; fetch(text).await }).await;
    let c = concat(&text[1..], &{ text = "last"; fetch(text).await }).await;
    a + &b + &c + text
}
