//! `for` over the characters of an owned string.

#[workflow]
async fn program(n: i64) -> String {
    let text = fetch(&n.to_string()).await;
    let mut out = String::new();
    for c in text.chars() {
        if c == '>' {
            break;
        }
        out.push(letter(c as i64).await);
        out.push(c);
    }
    out + &text
}
