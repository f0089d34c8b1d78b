//! Variables that are called as keywords are, captured by format strings, which have them without `r#`.

#[workflow]
async fn program(n: i64) -> String {
    let r#type = fetch("a").await;
    let r#match = act(n).await;
    tick().await;
    let text = format!("{type}{match:>3} {fn}", r#fn = n);
    for r#type in 0..2 {
        act(r#type).await;
        note(format!("{type:>match$}", r#match = 4));
    }
    match act(r#match).await {
        r#in if r#in > n => text + &format!("{in} {type}"),
        r#in => format!("{text} {in:?}"),
    }
}
