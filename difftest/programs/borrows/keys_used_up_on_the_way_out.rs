//! A key is moved where the code that needs what was found ends.

#[workflow]
async fn program(n: i64) -> Result<i64, String> {
    let mut stock = BTreeMap::from([("a".to_string(), 1), ("b".to_string(), n)]);
    let mut sum = 0;
    for key in words("a b c").await {
        let Some(count) = stock.get_mut(&key) else { return Err(key) };
        *count += act(n).await;
        if *count > 20 {
            return Err(key + "!");
        }
        sum += *count;
        tick().await;
        sum += *count;
        note(key);
    }
    Ok(sum)
}
