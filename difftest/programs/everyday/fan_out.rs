//! Many calls at once in different shapes, their results gathered by key and by kind.

use std::collections::BTreeMap;

#[workflow]
async fn quote_line(line: Line, factor: i64) -> Result<(String, i64), Refused> {
    let cents = match try_act(line.count).await {
        Ok(cents) => cents * factor,
        Err(ActivityError::Failed(refused)) => return Err(refused),
        Err(_) => 0,
    };
    Ok((line.sku, cents))
}

#[workflow]
async fn program(cx: &Context, n: i64) -> String {
    let order = order(n).await;
    let factor = act(2).await;
    let quotes = join_all(order.lines.iter().cloned().map(|line| quote_line(line, factor))).await;
    let (good, bad): (Vec<_>, Vec<_>) = quotes.into_iter().partition(Result::is_ok);
    let prices: BTreeMap<String, i64> = good.into_iter().flatten().collect();
    note((&prices, bad.len()));
    let doubled = join_all(prices.values().map(|price| add(*price, *price))).await;
    let (total, customer, (first, late)) = join!(
        async { total(&doubled).await + prices.len() as i64 },
        fetch(&order.customer),
        async {
            let first = prices.keys().next().cloned();
            let late = select! { biased;
                _ = cx.sleep(seconds(5)) => true,
                _ = act(n) => false,
            };
            (first, late)
        },
    );
    let both = try_join!(
        async {
            let found = try_find(n).await?;
            Ok::<_, ActivityError<Refused>>(found.unwrap_or_default())
        },
        try_act(n + 1),
    );
    let text = match both {
        Ok((a, b)) if a > b => format!("{a}>{b}"),
        Ok((a, b)) => format!("{}", a + b),
        Err(error) => error.to_string(),
    };
    [text, customer, first.unwrap_or_default(), total.to_string(), late.to_string()].join("|")
}
