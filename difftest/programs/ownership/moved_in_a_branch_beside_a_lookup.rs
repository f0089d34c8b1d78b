//! A branch without an await moves what the other one has looked up with, in a block that declares a variable
//! without a value.

#[workflow]
async fn program(n: i64) -> i64 {
    let text = fetch("a").await;
    let counts = table(3).await;
    if n > 2 {
        let values;
        match n {
            0..=3 => values = [3],
            _ => {
                if let Some(count) = counts.get(&*text.clone()) {
                    note(*count);
                } else if false && let Some(rest) = text.trim().strip_prefix('<') {
                    note(rest.len());
                } else {
                    note(text);
                }
                values = [5];
            }
        }
        return values.len() as i64;
    }
    tick().await;
    3
}
