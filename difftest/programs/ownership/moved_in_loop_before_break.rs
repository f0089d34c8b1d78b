//! A value moved in a loop that ends right then.

#[workflow]
async fn program(n: i64) -> String {
    let text = fetch("once").await;
    let mut i = n;
    let taken = loop {
        if act(i).await % 2 == 0 {
            break text;
        }
        i += 1;
        note(&text);
        if i > 20 {
            return text;
        }
    };
    fetch(&taken).await
}
