//! A branch holds what it has looked up in a part, explained twice where there is nothing.

#[workflow]
async fn program(cx: &Context, n: i64) -> Result<i64> {
    let mut order = order(n).await;
    let guard = Noisy::new("guard");
    let sum = select! {
        it = async {
            let Order { ref mut lines, ref customer, .. } = order;
            lines.push(Line { sku: fetch(customer).await, count: act(1).await });
            let last = lines.last_mut().ok_or("none").map_err(Error::msg)?;
            last.count += act(2).await;
            Ok::<_, Error>((last.count, customer.len() as i64))
        } => {
            let (a, b) = it?;
            a + b
        }
        it = act(5) => it,
    };
    note(guard.name());
    note(&order);
    Ok(sum)
}
