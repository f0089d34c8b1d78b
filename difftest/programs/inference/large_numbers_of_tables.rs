//! Tables with numbers that no `i32` can hold, where another part of the row is needed behind an await.

#[workflow]
async fn program(n: i64) -> Vec<i64> {
    let mut out = vec![];
    for (name, cents) in [("rent", 5_000_000_000), ("tea", 1)] {
        out.push(add(cents, 1).await);
        out.push(name.len() as i64);
    }
    for (name, cents) in [("rent", -5_000_000_000), ("tea", 1)] {
        out.push(name.len() as i64);
        tick().await;
        out.push(add(cents, 1).await);
    }
    for (at, number) in [7, 3_000_000_000].into_iter().enumerate() {
        out.push(act(number).await + at as i64);
    }
    for number in [7, 3_000_000_000].iter().rev() {
        out.push(act(1).await);
        let unsigned: &u64 = number;
        out.push(*unsigned as i64);
    }
    for (low, high, name) in [(0, 5_000_000_000, "small"), (5_000_000_000, i64::MAX, "big")] {
        if (low..high).contains(&act(n).await) {
            out.push(fetch(name).await.len() as i64);
            break;
        }
    }
    let step = if n > 2 { ("late", 5_000_000_000) } else { ("soon", 7) };
    out.push(act(1).await + step.0.len() as i64);
    out.push(act(step.1).await);
    out
}
