//! `?` inside of nested loops and conditions.

#[workflow]
async fn program(n: i64) -> Result<Vec<i64>, ActivityError<Refused>> {
    let mut out = Vec::new();
    for i in 0..3 {
        while out.len() < 2 && try_act(i * 3 + n).await? > 100 {
            out.push(try_find(i).await?.unwrap_or(-1));
        }
        if let Some(value) = try_find(n).await? {
            out.push(value);
        }
    }
    Ok(out)
}
