//! Receivers that await in chains with closures, indices and `?`, and borrows that end before the next.

#[workflow]
async fn program(n: i64) -> Result<String> {
    let mut map: BTreeMap<String, Vec<i64>> = BTreeMap::new();
    map.entry(fetch("key").await).or_default().extend(vec![n]);
    let more = list(act(1).await).await;
    map.entry("other".to_owned()).or_insert_with(|| vec![n]).extend(more);
    let mut text = String::new();
    text.push_str(&fetch(&concat("a", &text).await).await);
    text += &concat(&text, &map.len().to_string()).await;
    let lengths: Vec<usize> = map.values().map(|list| list.len() + n as usize).collect();
    let longest = [list(n).await, list(2).await].concat().into_iter().max().map_or(9, |x| x + 1);
    if let Some(numbers) = map.get_mut(&fetch("key").await) {
        numbers.push(longest);
        numbers[0] += 1;
    }
    let order = order(n).await;
    let first = order.lines.first().map(|line| line.sku.clone());
    let line = &order.lines[..];
    let customer = &order.customer;
    tick().await;
    let joined = format!(
        "{customer} {first:?} {} {:?} {longest}",
        try_fetch(&text.to_lowercase()).await.unwrap_or_else(|e| format!("{e:?}")),
        line.iter().map(|line| line.count).collect::<Vec<_>>(),
    );
    let parsed = parse("12").await? + joined.len() as i64 + parse(&n.to_string()).await?;
    assert!(parsed > act(0).await, "{joined}");
    Ok(format!("{joined} {parsed} {lengths:?} {map:?}"))
}
