//! An `async` block that is awaited where it stands: a statement, an operand, in a macro, in a condition.
#[workflow]
async fn program(n: i64) -> Result<i64, String> {
    let mut log = Vec::new();
    async { log.push(act(n).await); }.await;
    let name = String::from("x");
    let text = format!("{}-{}", async { fetch(&name).await.len() }.await, name);
    note(&text);
    if (async { act(1).await > 0 }).await { note("positive"); }
    let sum = act(2).await + async { let a = act(3).await; log.push(a); a * 2 }.await;
    match (async move { try_act(sum).await?; Ok::<_, ActivityError<Refused>>(name) }).await {
        Ok(name) => note(name),
        Err(error) => { note(error.to_string()); return Err(text) }
    };
    let none: Option<i64> = async { let x = lookup("a").await?; let y = lookup("b").await?; Some(x + y) }.await;
    let five = async { 5 }.await;
    for i in 0..2 {
        let r = async { if i > 0 { return Err("late"); } act(i).await; Ok(()) }.await;
        if r.is_err() { break; }
    }
    let nested = async { async { act(1).await }.await + async { 1 }.await }.await;
    Ok(none.unwrap_or(0) + five + nested + log.len() as i64)
}
