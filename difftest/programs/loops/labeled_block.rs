//! Labeled blocks, left from several places with values.

#[workflow]
async fn program(n: i64) -> String {
    let text = 'found: {
        if let Some(text) = find(n).await {
            break 'found text;
        }
        for i in 0..3 {
            if act(i).await > 6 {
                break 'found fetch(&i.to_string()).await;
            }
        }
        note("none").to_owned()
    };
    concat(&text, "end").await
}
