//! Statements whose branches give values: with a semicolon of any one type, without it `()`.

#[workflow]
async fn program(n: i64) -> Result<i64> {
    match n % 4 {
        1 => tick().await,
        2 => {
            note(1);
        }
        3 => return Ok(act(5).await),
        _ => tick().await,
    };
    if n > 3 { try_fetch("a").await? } else { fetch("b").await };
    match n % 3 {
        1 => try_fetch("a").await?,
        2 => piton::bail!("two"),
        _ => fetch("c").await,
    };
    select! {
        found = find(n) => found.map(|name| name.len() as i64),
        _ = tick() => Some(n),
    };
    let mut list = vec![n];
    if act(n).await > 2 {
        list.push(act(1).await);
        list.reverse()
    } else if n > 1 {
        tick().await
    }
    loop {
        match act(list.len() as i64).await {
            0..=2 => list.push(1),
            3 => {
                tick().await;
                list.truncate(9)
            }
            _ => break,
        }
        if list.len() > 5 {
            break note(());
        }
        list.push(2)
    }
    Ok(list.len() as i64)
}
