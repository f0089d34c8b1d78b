//! What an operand of a chain looks up that is not its first is asked for again after an await, too.

#[workflow]
async fn program(n: i64) -> (i64, Order, Option<i64>) {
    let mut found = order(n).await;
    let prices = table(n).await;
    let mut spare = lookup("abcd").await;
    let mut sum = 0;
    if n > 1
        && let Some(line) = found.lines.get(n as usize % 3)
    {
        sum += act(line.count).await;
        sum += line.count;
    }
    if let Some(text) = find(n).await
        && text.len() > 2
        && let Some(price) = prices.get(&format!("k{}", n % 10))
    {
        tick().await;
        sum += price + text.len() as i64;
    } else if let Some(at) = lookup("x").await
        && !found.lines.is_empty()
        && let Line { sku, count: 1..=2 } = &found.lines[(at - 1) as usize]
    {
        sum += fetch(sku).await.len() as i64;
        note(sku);
    }
    if n > 2
        && let Some(line) = found.lines.iter_mut().find(|line| line.count > 1)
    {
        line.count = -act(n).await;
        line.sku.push('!');
        tick().await;
        line.count += 1;
    }
    while sum < 300
        && let Some(line) = found.lines.get_mut(sum as usize % 3)
    {
        line.count += act(sum).await;
        sum += line.count.abs() + 50;
    }
    if n > 1
        && let (1..=200, spare) = (n, spare.get_or_insert_with(|| 4))
    {
        tick().await;
        *spare += act(*spare).await;
    }
    (sum, found, spare)
}
